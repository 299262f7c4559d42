import { randomBytes } from 'node:crypto';
import { publicKeyOf } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { runReplicas } from './running-replicas.js';

test('a contacts process with a foreign caller key under a known id is not ready, and no call reaches it', async (t) => {
  const replicas = await runReplicas(t, { lockMs: 10_000, requestMs: 60_000 });
  const gateways = await replicas.newWorkspace();
  const CALLER_PUBLIC_KEYS = publicKeyOf(`local:${randomBytes(32).toString('base64')}`);
  const { adminPort } = await replicas.addContacts({ CALLER_PUBLIC_KEYS });
  const waitingFor = await eventually(
    async () => {
      const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
      return ((await response.json()) as { waitingFor?: string }).waitingFor;
    },
    { timeoutMs: 60_000 },
  );
  t.regex(waitingFor, /^CALLER_PUBLIC_KEYS has another key with the id local /);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      gateways[n % 2]!.post('/v1/contacts', { email: `${n}@example.com` }),
    ),
  );
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
});
