import { eventually } from '@roster/testing';
import test from 'ava';
import { cachedResolver, hostResolver, type Resolution } from '../../attempt/resolve-host.js';
import { nameServer } from './name-server.js';

test('caches a DNS answer for its time to live', async (t) => {
  for (const ttlSeconds of [60, 0.02]) {
    let lookups = 0;
    const resolve = cachedResolver(async () => ({
      addresses: [`10.0.0.${(lookups += 1)}`],
      ttlSeconds,
    }));
    const addresses = async () => (await resolve('a.example')).addresses[0];
    t.is(await addresses(), '10.0.0.1');
    if (ttlSeconds === 60) t.is(await addresses(), '10.0.0.1');
    else await eventually(async () => (await addresses()) === '10.0.0.2');
  }
});

test.serial(
  'an answer cached while the clock was an hour ahead expires after its time to live',
  async (t) => {
    let lookups = 0;
    const resolve = cachedResolver(async () => {
      lookups += 1;
      return { addresses: ['10.0.0.1'], ttlSeconds: 0.02 };
    });
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
    try {
      await resolve('a.example');
    } finally {
      Date.now = now;
    }
    await eventually(async () => {
      await resolve('a.example');
      return lookups > 1;
    });
    t.pass();
  },
);

test('does not cache answers without a time to live or failed look-ups; the cache is bounded', async (t) => {
  let lookups = 0;
  const resolve = cachedResolver(async (hostname) => {
    lookups += 1;
    if (hostname === 'broken.example') throw new Error('SERVFAIL');
    return { addresses: ['10.0.0.1'], ttlSeconds: hostname === 'zero.example' ? 0 : 60 };
  }, 2);
  await resolve('zero.example');
  await resolve('zero.example');
  t.is(lookups, 2);
  await t.throwsAsync(resolve('broken.example'));
  await t.throwsAsync(resolve('broken.example'));
  t.is(lookups, 4);
  for (const host of ['a.example', 'b.example', 'c.example', 'a.example']) await resolve(host);
  t.is(lookups, 8, 'the first made room for the third');
});

test('localhost resolves to loopback, whatever DNS answers', async (t) => {
  const resolve = hostResolver(1000);
  t.deepEqual((await resolve('localhost')).addresses, ['127.0.0.1', '::1']);
  t.deepEqual((await resolve('hooks.localhost')).addresses, ['127.0.0.1', '::1']);
});

test('one family does not wait for the other one, whose queries are dropped, and is not cached for long', async (t) => {
  for (const answered of ['A', 'AAAA'] as const) {
    const address = answered === 'A' ? '10.0.0.1' : 'fd00:0:0:0:0:0:0:1';
    const server = await nameServer(t, (family) => (family === answered ? [address] : undefined));
    const { addresses, ttlSeconds } = await hostResolver(8000, [server.address])('two.example');
    t.is(addresses.length, 1);
    t.is(ttlSeconds, 10);
    t.deepEqual(server.queries.toSorted(), ['A', 'AAAA'], 'no query had to be repeated');
  }
});

test('waits for the other family if the first answer contains no address', async (t) => {
  const server = await nameServer(t, (family, queries) => {
    // The first query is dropped, and answered when it is repeated.
    if (family === 'A') return [];
    return queries.filter((each) => each === 'AAAA').length > 1
      ? ['fd00:0:0:0:0:0:0:1']
      : undefined;
  });
  const { addresses, ttlSeconds } = await hostResolver(2000, [server.address])('six.example');
  t.deepEqual(addresses, ['fd00::1']);
  t.is(ttlSeconds, 60);
});

test('repeats a query that was lost well before the deadline', async (t) => {
  const deadline = new AbortController();
  const server = await nameServer(t, (family, queries) =>
    family === 'A' && queries.filter((each) => each === 'A').length > 1 ? ['10.0.0.1'] : undefined,
  );
  const timeoutMs = 4000;
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const { addresses } = await hostResolver(timeoutMs, [server.address])('lost.example');
  clearTimeout(timer);
  t.deepEqual(addresses, ['10.0.0.1']);
  t.false(deadline.signal.aborted);
});

test('simultaneous look-ups of one name share one, also if it fails', async (t) => {
  const lookups: PromiseWithResolvers<Resolution>[] = [];
  const resolve = cachedResolver(() => {
    lookups.push(Promise.withResolvers());
    return lookups.at(-1)!.promise;
  });
  const failing = Array.from({ length: 20 }, () => resolve('a.example'));
  t.is(lookups.length, 1);
  lookups[0]!.reject(new Error('SERVFAIL'));
  for (const each of await Promise.allSettled(failing)) t.is(each.status, 'rejected');
  const found = Array.from({ length: 20 }, () => resolve('a.example'));
  t.is(lookups.length, 2);
  lookups[1]!.resolve({ addresses: ['10.0.0.1'], ttlSeconds: 0 });
  for (const { addresses } of await Promise.all(found)) t.deepEqual(addresses, ['10.0.0.1']);
});
