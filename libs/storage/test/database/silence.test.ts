import { eventually, TcpProxy, throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openLog } from '@roster/process';
import { Database } from '../../index.js';

const silentMs = 500;
const one = { name: 'test.one', text: 'select 1 as one' };

test('statements on a server that stopped answering end with an unknown outcome, and later ones use the next server', async (t) => {
  const through = await proxied(t, 2);
  const [first, second] = through.proxies;
  const database = await open(t, through);
  await Promise.all(Array.from({ length: 4 }, () => database.query(one, [])));
  await first!.setMode('silence');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => database.query(one, [])),
  );
  for (const { reason } of outcomes as PromiseRejectedResult[]) t.like(reason, { code: 'timeout' });
  await eventually(() => database.query(one, []));
  t.true(second!.accepted > 0);
});

test('a transaction on a server that stopped answering ends too, and releases its connection', async (t) => {
  const through = await proxied(t, 1);
  const [only] = through.proxies;
  const database = await open(t, through);
  const begun = Promise.withResolvers<void>();
  const lost = database.transaction(async (session) => {
    await session.query(one, []);
    await only!.setMode('silence');
    begun.resolve();
    await session.query(one, []);
  });
  await begun.promise;
  await t.throwsAsync(lost, { code: 'timeout' });
  await only!.setMode('forward');
  await eventually(() => database.transaction((session) => session.query(one, [])));
});

test('a slow statement on a reachable server is waited for', async (t) => {
  const database = await open(t, await proxied(t, 1));
  const slow = { name: 'test.slow', text: `select pg_sleep(${(silentMs * 5) / 1000}), 1 as one` };
  t.like(await database.query(slow, []), [{ one: 1 }]);
});

/** Several proxies to one database, as if each was a server. */
async function proxied(t: ExecutionContext, count: number): Promise<Proxied> {
  const database = await throwawayDatabase();
  t.teardown(() => database.drop());
  const url = new URL(database.url);
  const target = { host: url.hostname, port: Number(url.port) };
  const proxies = await Promise.all(Array.from({ length: count }, () => TcpProxy.start(target)));
  t.teardown(() => proxies.forEach((proxy) => proxy.stop()));
  return { url, proxies };
}

interface Proxied {
  url: URL;
  proxies: TcpProxy[];
}

async function open(t: ExecutionContext, { url, proxies }: Proxied): Promise<Database> {
  const { username, password, pathname } = url;
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',');
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
