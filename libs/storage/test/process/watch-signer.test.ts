import { randomBytes } from 'node:crypto';
import { connectBus, type HandlerTable } from '@roster/bus';
import { operationsOf } from '@roster/contracts';
import { eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { openLog, publicKeyOf } from '@roster/process';
import { spawnProbe } from './probe-process.js';

const publicKey = (id: string) => publicKeyOf(`${id}:${randomBytes(32).toString('base64')}`);

test('a process that lists another key than the users service signs with waits, and logs one line that names the variable', async (t) => {
  const { env, users } = await servers(t);
  const [signing, foreign, other] = [publicKey('k1'), publicKey('k1'), publicKey('k0')];
  users.serve(signing);
  for (const [listed, reason] of [
    [
      `${other},${foreign}`,
      'CALLER_PUBLIC_KEYS has another key with the id k1 than the users service signs with: correct it, and restart. A new key needs a new id.',
    ],
    [
      other,
      'CALLER_PUBLIC_KEYS lacks the key k1, which the users service signs with: append it, and restart. A new key needs a new id.',
    ],
  ] as const) {
    const probe = spawnProbe(t, { ...env, CALLER_PUBLIC_KEYS: listed });
    t.is(await probe.waits(), reason);
    t.like(await probe.get('/readyz'), { status: 503, body: { waitingFor: reason } });
    t.deepEqual(probe.reasons(), [reason]);
    t.false(probe.output().includes(listed.slice(3, 40)));
  }
});

test('a process that lists keys waits while the users service signs nothing', async (t) => {
  const { env, users } = await servers(t);
  users.serve(null);
  const probe = spawnProbe(t, { ...env, CALLER_PUBLIC_KEYS: publicKey('k1') });
  t.regex(await probe.waits(), /^CALLER_PUBLIC_KEYS is set, but .* has no CALLER_SIGNING_KEY: /);
  users.serve(publicKey('k1'));
  await eventually(() => probe.reasons().at(-1)?.includes('another key with the id k1'));
});

test('a process is ready while the users service is unavailable, and notices later that it lists another key', async (t) => {
  const { env, users } = await servers(t);
  const [signing, foreign] = [publicKey('k1'), publicKey('k1')];
  const probe = spawnProbe(t, { ...env, CALLER_PUBLIC_KEYS: foreign });
  await probe.ready();
  users.serve(signing);
  const { body } = await eventually(async () => {
    const answer = await probe.get('/readyz');
    return answer.status === 503 && answer;
  });
  t.like(body, { checks: { nats: true, 'caller-keys': false, postgres: true } });
  const told = () => probe.lines().filter(({ msg }) => String(msg).startsWith('CALLER_PUBLIC'));
  await users.answered(2);
  t.is(told().length, 1);
  users.serve(foreign);
  await probe.ready();
});

test('a process remains ready while keys are rotated, also in the wrong order', async (t) => {
  const { env, users } = await servers(t);
  const [old, next] = [publicKey('k1'), publicKey('k2')];
  users.serve(old);
  const [both, late] = [`${old},${next}`, old].map((CALLER_PUBLIC_KEYS) =>
    spawnProbe(t, { ...env, CALLER_PUBLIC_KEYS }),
  );
  for (const probe of [both!, late!]) await probe.ready();
  users.serve(next);
  await eventually(() => late!.output().includes('lacks the key k2'));
  await users.answered(4);
  for (const probe of [both!, late!]) t.is((await probe.get('/readyz')).status, 200);
  t.false(both!.output().includes('CALLER_PUBLIC_KEYS'));
});

/** NATS, a database, and a users service that tells which key it signs with. */
async function servers(t: ExecutionContext) {
  const [nats, postgres] = await Promise.all([throwawayNats(), throwawayDatabase()]);
  const log = openLog('users', 'silent');
  const bus = await connectBus({ servers: nats.url, name: 'users', log });
  t.teardown(async () => {
    await bus.close();
    await Promise.all([nats.stop(), postgres.drop()]);
  });
  let serving = false;
  let signing: string | null = null;
  let answers = 0;
  const answer = async (calls: unknown[]) =>
    calls.map(() => {
      answers += 1;
      return { publicKey: signing };
    });
  const handlers = Object.keys(operationsOf.users).map((name) => [name, answer]);
  const users = {
    serve(key: string | null) {
      signing = key;
      if (!serving) bus.serve('users', Object.fromEntries(handlers) as HandlerTable<'users'>);
      serving = true;
    },
    /** Resolves after a number of further answers. */
    answered(count: number) {
      const until = answers + count;
      return eventually(() => answers >= until);
    },
  };
  return { env: { NATS_URL: nats.url, DATABASE_URL: postgres.url }, users };
}
