import test from 'ava';

import { requireClosed, throwawayNats } from '../index.js';

test('a process is not started with a superuser, without caller keys, without an nkey, or with a NATS that admits anyone', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const closed = {
    NATS_URL: nats.url,
    NATS_NKEY_SEED_FILE: '/nats-keys/contacts.nk',
    CALLER_PUBLIC_KEYS: 'local:key',
    DATABASE_URL: 'postgres://roster_contacts:secret@127.0.0.1/roster',
  };
  const problemsOf = (name: string, env: NodeJS.ProcessEnv) =>
    requireClosed(name, env).then(
      () => '',
      (error: Error) => error.message,
    );
  const admitting = `NATS at ${nats.url} admits anyone`;
  t.is(
    await problemsOf('contacts', closed),
    `contacts would run in an open configuration: ${admitting}.`,
  );
  await nats.allowOnly({ user: 'contacts', password: 'secret' });
  t.is(await problemsOf('contacts', closed), '');
  for (const [name, changes, problem] of [
    ['contacts', { CALLER_PUBLIC_KEYS: '' }, 'CALLER_PUBLIC_KEYS is not set'],
    ['contacts', { NATS_NKEY_SEED_FILE: '' }, 'it has no nkey'],
    ['contacts', { DATABASE_URL: 'postgres://roster:secret@127.0.0.1/roster' }, 'is roster'],
    ['users', {}, 'is roster_contacts'],
    ['gateway', {}, 'is roster_contacts'],
  ] as const)
    t.true((await problemsOf(name, { ...closed, ...changes })).includes(problem), problem);
});
