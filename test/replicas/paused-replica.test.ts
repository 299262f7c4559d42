import { eventually } from '@roster/testing';
import test from 'ava';
import type { Answer, Client, Contact } from '../system/client.js';
import { callsReceived, runReplicas } from './running-replicas.js';

const operation = 'contacts.create';

interface Problem {
  code: string;
  detail: string;
}

test('calls to a paused contacts process are answered 504, and applied only when they are repeated', async (t) => {
  const replicas = await runReplicas(t, { lockMs: 2_000, requestMs: 10_000 });
  const gateways = await replicas.newWorkspace();
  const create = (client: Client, n: number) =>
    client.post<{ contact: Contact }>(
      '/v1/contacts',
      { email: `${n}@example.com` },
      { 'idempotency-key': `create-${n}` },
    );
  const total = async (): Promise<number> => {
    const { body } = await gateways[0]!.get<{ pagination: { total: number } }>('/v1/contacts');
    return body.pagination.total;
  };
  const received = () =>
    Promise.all(replicas.contacts.map((replica) => callsReceived(replica, operation)));
  let sent = 0;
  /** Creates contacts until each process has received a call. */
  const createOnEach = async (): Promise<void> => {
    const former = await received();
    await eventually(async () => {
      t.is((await create(gateways[sent % 2]!, sent++)).status, 201);
      return (await received()).every((calls, index) => calls > former[index]!);
    });
  };
  await createOnEach();

  const paused = replicas.contacts[1]!;
  process.kill(paused.pid!, 'SIGSTOP');
  t.teardown(() => paused.pid !== undefined && process.kill(paused.pid, 'SIGCONT'));
  const answers = new Map<number, Answer>();
  const timedOut = () => [...answers].filter(([, { status }]) => status === 504);
  const created = () => [...answers].filter(([, { status }]) => status === 201);
  // Simultaneous requests are distributed over the processes in several batches.
  while (timedOut().length === 0 || created().length === 0) {
    const round = Array.from({ length: 20 }, () => sent++);
    await Promise.all(round.map(async (n) => answers.set(n, await create(gateways[n % 2]!, n))));
  }
  t.is(timedOut().length + created().length, answers.size, 'no other status');
  for (const [, { body }] of timedOut()) {
    const { code, detail } = body as unknown as Problem;
    t.is(code, 'timeout');
    t.regex(detail, /may have been applied\. With an Idempotency-Key header it is safe/);
  }

  process.kill(paused.pid!, 'SIGCONT');
  await eventually(async () => (await received()).reduce((sum, calls) => sum + calls) === sent);
  // Creations in a workspace are applied one after another: those in front of these have been, unless they were dropped.
  await createOnEach();
  t.is(await total(), sent - timedOut().length, 'calls after their deadline are not applied');
  for (const [n] of answers) t.is((await create(gateways[n % 2]!, n)).status, 201);
  t.is(await total(), sent);
});
