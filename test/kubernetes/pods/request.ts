/** `node request.js <path>`: prints the response of this pod's program, see control.ts. */
import { controlPort } from './control.js';

const response = await fetch(`http://127.0.0.1:${controlPort}${process.argv[2]}`);
const text = await response.text();
if (!response.ok) throw new Error(`${response.status} ${text}`);
process.stdout.write(text);
