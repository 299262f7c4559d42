import '@roster/service/early-signals';
import { runProcess } from '@roster/service';
import { gatewayConfig } from './config.js';
import { startGateway } from './start-gateway.js';

await runProcess('gateway', gatewayConfig, startGateway);
