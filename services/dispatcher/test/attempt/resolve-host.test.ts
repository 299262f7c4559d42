import { eventually } from '@roster/testing';
import test from 'ava';
import { cachedResolver, hostResolver } from '../../attempt/resolve-host.js';

test('caches a DNS answer for its time to live', async (t) => {
  let lookups = 0;
  const resolve = cachedResolver(async () => ({
    addresses: [`10.0.0.${(lookups += 1)}`],
    ttlSeconds: 1,
  }));
  const addresses = async () => (await resolve('a.example')).addresses[0];
  t.is(await addresses(), '10.0.0.1');
  t.is(await addresses(), '10.0.0.1');
  await eventually(async () => (await addresses()) === '10.0.0.2');
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
