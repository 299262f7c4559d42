/** The receiver as a process in a pod. */
import { startControl } from './control.js';
import { startReceiver } from './receiver.js';

const receiver = await startReceiver(process.env.TOKEN ?? '', 8080, '0.0.0.0');
await startControl({ '/report': () => receiver.report() });
// The first process of a container receives only signals that it handles.
process.on('SIGTERM', () => process.exit());
