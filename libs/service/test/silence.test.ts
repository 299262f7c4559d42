import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { eventually, throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openLog } from '../index.js';
import { Database } from '../storage.js';

const silentMs = 500;
const one = { name: 'test.one', text: 'select 1 as one' };

test('a server that went silent is left for the next one, and what it was asked has an unknown outcome', async (t) => {
  const [first, second] = await ways(t, 2);
  const database = await open(t, [first!, second!]);
  await Promise.all(Array.from({ length: 4 }, () => database.query(one, [])));
  first!.silence();
  const asked = await Promise.allSettled(Array.from({ length: 4 }, () => database.query(one, [])));
  for (const { reason } of asked as PromiseRejectedResult[]) t.like(reason, { code: 'timeout' });
  await eventually(() => database.query(one, []));
  t.true(second!.connections() > 0);
});

test('a transaction in a server that went silent ends too, and leaves its connection to others', async (t) => {
  const [only] = await ways(t, 1);
  const database = await open(t, [only!]);
  const begun = Promise.withResolvers<void>();
  const lost = database.transaction(async (session) => {
    await session.query(one, []);
    only!.silence();
    begun.resolve();
    await session.query(one, []);
  });
  await begun.promise;
  await t.throwsAsync(lost, { code: 'timeout' });
  only!.speak();
  await eventually(() => database.transaction((session) => session.query(one, [])));
});

test('a statement that takes long on a server that is there is waited for', async (t) => {
  const [only] = await ways(t, 1);
  const database = await open(t, [only!]);
  const slow = { name: 'test.slow', text: `select pg_sleep(${(silentMs * 5) / 1000}), 1 as one` };
  t.like(await database.query(slow, []), [{ one: 1 }]);
});

/** A way to PostgreSQL that can fall silent without being closed. */
interface Way {
  port: number;
  silence(): void;
  speak(): void;
  connections(): number;
}

/** Several ways to one database, as if they led to several servers. */
async function ways(t: ExecutionContext, count: number): Promise<(Way & { url: URL })[]> {
  const database = await throwawayDatabase();
  t.teardown(() => database.drop());
  const url = new URL(database.url);
  return Promise.all(Array.from({ length: count }, async () => ({ ...(await way(t, url)), url })));
}

async function way(t: ExecutionContext, { hostname, port }: URL): Promise<Way> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    const upstream = connect(Number(port), hostname);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end.on('error', () => {});
    }
    const forward = (from: Socket, to: Socket) =>
      from.on('data', (bytes) => void (isSilent || to.write(bytes)));
    forward(socket, upstream);
    forward(upstream, socket);
    socket.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => void (isSilent = true),
    speak: () => void (isSilent = false),
    connections: () => accepted,
  };
}

async function open(t: ExecutionContext, through: (Way & { url: URL })[]): Promise<Database> {
  const { username, password, pathname } = through[0]!.url;
  const hosts = through.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const database = await Database.open({
    url: `postgres://${username}:${password}@${hosts}${pathname}?connect_timeout=2`,
    schema: 'silence',
    poolMax: 4,
    entities: [],
    migrations: [],
    log: openLog('silence', 'silent'),
    silentMs,
  });
  t.teardown(() => database.close());
  return database;
}
