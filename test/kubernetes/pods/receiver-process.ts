/** The receiver, as a process in a pod. */
import { startControl } from './control.js';
import { startReceiver } from './receiver.js';

const receiver = await startReceiver(process.env.TOKEN ?? '', 8080, '0.0.0.0');
await startControl({ '/report': () => receiver.report() });
// The first process of a container gets no signal that it does not ask for.
process.on('SIGTERM', () => process.exit());
