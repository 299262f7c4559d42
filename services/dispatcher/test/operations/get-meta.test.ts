import { interfaceLimits, operations, releaseVersion } from '@roster/contracts';
import { callAs } from '@roster/testing';
import test from 'ava';
import { dispatcherConfig } from '../../config.js';
import { getMeta } from '../../operations/get-meta.js';

const base = { DATABASE_URL: 'postgres://u:p@127.0.0.1/d', NATS_URL: 'nats://127.0.0.1' };

/** What `meta.get` answers with these environment variables. */
async function metaWith(env: object) {
  const config = dispatcherConfig.parse({ ...base, ...env });
  const handle = getMeta({
    retainedSeconds: config.EVENTS_MAX_AGE_SECONDS,
    deliveryRetentionDays: config.RETENTION_DAYS,
    sourceAddresses: config.DELIVERY_SOURCE_ADDRESSES,
  });
  const [answer] = await handle([{ ...callAs({ workspaceId: 'w' }), input: {} }]);
  return operations['meta.get'].output.parse(JSON.parse((answer as { text: string }).text)).meta;
}

test('meta.get answers version, limits and retention, and null as addresses that are not configured', async (t) => {
  t.deepEqual(await metaWith({ RETENTION_DAYS: '40' }), {
    version: releaseVersion,
    limits: interfaceLimits,
    eventRetentionSeconds: 30 * 86_400,
    deliveryRetentionDays: 40,
    deliveryAddresses: null,
  });
});

test('meta.get answers the configured source addresses, and others are not accepted', async (t) => {
  const texts = ['203.0.113.7', '2001:db8::/32', '198.51.100.0/24'];
  const { deliveryAddresses } = await metaWith({ DELIVERY_SOURCE_ADDRESSES: texts.join(', ') });
  t.deepEqual(deliveryAddresses, texts);
  for (const wrong of ['example.com', '203.0.113.0/33', '1.2.3.4;5.6.7.8'])
    await t.throwsAsync(metaWith({ DELIVERY_SOURCE_ADDRESSES: wrong }), undefined, wrong);
});
