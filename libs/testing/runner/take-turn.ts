import { once } from 'node:events';
import { connect } from 'node:net';

import { weightOf } from './weight-of.js';

/** Waits until a compiled test file may run in this process. The turn ends with the process. */
export async function takeTurn(socket: string, file: string): Promise<void> {
  const connection = connect(socket);
  connection.write(`${weightOf(file)}\n`);
  await once(connection, 'data');
  connection.unref();
}
