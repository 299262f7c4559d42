import '@roster/process/early-signals';
import { runProcess } from '@roster/process';
import { gatewayConfig } from './config.js';
import { startGateway } from './start-gateway.js';

await runProcess('gateway', gatewayConfig, startGateway);
