import { uuidOf, type EventBody } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { ApiKey } from '../entities/api-key.entity.js';
import { announceExpiringKeys } from '../keys/announce-expiring-keys.js';
import { callAs, eventsOf, makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const inMs = (ms: number) => new Date(Date.now() + ms);

test.serial(
  'a key is announced seven days and one day before it expires, each once, by however many processes',
  async (t) => {
    const { workspaceId, key, expire, announced } = await setUp();
    await expire(7 * dayMs + hourMs);
    t.deepEqual(await announced(), []);
    const expiresAt = await expire(7 * dayMs - hourMs);
    const first = { apiKey: { id: key.id, name: 'Billing', userId: key.userId, expiresAt } };
    t.deepEqual(await announced(), [first]);
    await expire(dayMs + hourMs);
    t.is((await announced()).length, 1);
    await expire(dayMs - hourMs);
    t.is((await announced()).length, 2);
    await expire(1000);
    t.is((await announced()).length, 2);
    const [body] = (await eventsOf(bench(), uuidOf('workspace', workspaceId))) as EventBody[];
    t.is(body!.event, 'KEY_EXPIRING');
    // Neither the secret nor its beginning.
    t.false(JSON.stringify(body).includes('rsk_'));
  },
);

test.serial(
  'only the later of two announcements is made if no process ran in between',
  async (t) => {
    const { expire, announced } = await setUp();
    await expire(dayMs - hourMs);
    t.is((await announced()).length, 1);
    t.is((await announced()).length, 1);
  },
);

test.serial(
  'a key that was created later than that, has expired, was revoked or does not expire is not announced',
  async (t) => {
    const { key, expire, change, announced } = await setUp();
    t.deepEqual(await announced(), []);
    await change({ createdAt: inMs(-hourMs) });
    await expire(12 * hourMs);
    t.deepEqual(await announced(), []);
    await change({ createdAt: inMs(-30 * dayMs) });
    await expire(-1);
    t.deepEqual(await announced(), []);
    await expire(6 * dayMs);
    await change({ revokedAt: new Date() });
    t.deepEqual(await announced(), []);
    await change({ revokedAt: null });
    t.is((await announced())[0]!.apiKey.id, key.id);
  },
);

/** A key that was created a month ago. */
async function setUp() {
  const { bus, database, outbox } = bench();
  const owner = await makeWorkspace(bench());
  const { workspaceId } = owner;
  const { apiKey: key } = await bus.call(
    'api-keys.create',
    { name: 'Billing', scopes: ['user'] },
    callAs(owner),
  );
  const change = (fields: { createdAt?: Date; expiresAt?: Date; revokedAt?: Date | null }) =>
    database.em.nativeUpdate(ApiKey, { id: uuidOf('key', key.id) }, fields);
  await change({ createdAt: inMs(-30 * dayMs) });
  const expire = async (ms: number) => {
    const expiresAt = inMs(ms);
    await change({ expiresAt });
    return expiresAt.toISOString();
  };
  const announced = async () => {
    const run = () => announceExpiringKeys({ database, outbox, ids: new IdClock() });
    await Promise.all([run(), run(), run()]);
    const events = (await eventsOf(bench(), uuidOf('workspace', workspaceId))) as EventBody[];
    return events
      .filter(({ event }) => event === 'KEY_EXPIRING')
      .map(({ data }) => data as EventBody<'KEY_EXPIRING'>['data']);
  };
  return { workspaceId, key, expire, change, announced };
}
