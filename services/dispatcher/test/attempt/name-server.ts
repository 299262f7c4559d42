import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';

export type Family = 'A' | 'AAAA';

/** Addresses, none, or nothing: the query is dropped. */
export type NameAnswer = string[] | undefined;

/** A name server on loopback, and the queries that it received. */
export async function nameServer(
  t: ExecutionContext,
  answer: (family: Family, queries: readonly Family[]) => NameAnswer | Promise<NameAnswer>,
): Promise<{ address: string; queries: Family[] }> {
  const queries: Family[] = [];
  const socket = createSocket('udp4');
  const reply = async (query: Buffer, from: RemoteInfo) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const family = question.readUInt16BE(question.length - 4) === 28 ? 'AAAA' : 'A';
    queries.push(family);
    const addresses = await answer(family, queries);
    if (addresses) socket.send(response(query, question, addresses), from.port, from.address);
  };
  socket.on('message', (query, from) => void reply(query, from));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}

/** RFC 1035, section 4. */
function response(query: Buffer, question: Buffer, addresses: string[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  for (const [n, count] of [1, addresses.length, 0, 0].entries())
    header.writeUInt16BE(count, 4 + 2 * n);
  const type = question.subarray(question.length - 4);
  const records = addresses.map((address) => {
    const data = address.includes(':')
      ? Buffer.from(
          address
            .split(':')
            .map((group) => group.padStart(4, '0'))
            .join(''),
          'hex',
        )
      : Buffer.from(address.split('.').map(Number));
    // The name of the question, its type and class, 60 seconds.
    return Buffer.concat([
      Buffer.from([0xc0, 12]),
      type,
      Buffer.from([0, 0, 0, 60, 0, data.length]),
      data,
    ]);
  });
  return Buffer.concat([header, question, ...records]);
}
