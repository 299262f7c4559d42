import { connect } from 'node:net';
import { once } from 'node:events';

import test from 'ava';

import { weightOf } from './weight-of.js';

/** AVA calls it in the process of each test file, which then waits for its turn. The turn ends with the process. */
// oxlint-disable-next-line import/no-default-export -- AVA takes it as the default.
export default async function takeTurn(socket: string): Promise<void> {
  const connection = connect(socket);
  connection.write(`${weightOf(test.meta.file)}\n`);
  await once(connection, 'data');
  connection.unref();
}
