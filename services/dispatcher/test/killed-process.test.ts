import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { encodeId, uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { deliveryId } from '../delivery/delivery.js';
import { patient } from './operations/caller.js';
import { insertDue } from './queue/queued-deliveries.js';
import { receiverFor } from './receiver.js';
import { runDispatcher, testEnv } from './running-dispatcher.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('deliveries in flight in a process that is killed are attempted by another long before they would time out, and those of a living process by no other', async (t) => {
  const running = await runDispatcher(t);
  await running.stopAll();
  const env = {
    ...{ DATABASE_URL: running.databaseUrl, NATS_URL: running.nats.url, ADMIN_PORT: '0' },
    ...{ ALLOW_TARGETS: testEnv.ALLOW_TARGETS, ALLOW_HTTP: 'true', ATTEMPT_TIMEOUT_MS: '60000' },
  };
  const killed = fork(main, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  t.teardown(() => killed.kill('SIGKILL'));
  await once(killed, 'message');

  const held: ServerResponse[] = [];
  const receiver = await receiverFor(t, (response) => void held.push(response));
  const webhook = running.addWebhook(receiver.url);
  const queued = await insertDue(running.database, running.workspace.id, webhook, 4);
  await eventually(() => receiver.hits.length === 4, patient);
  const events = await Promise.all([1, 2, 3, 4].map(() => running.publish()));
  await eventually(() => receiver.hits.length === 8, patient);
  await running.start();

  killed.kill('SIGKILL');
  // The attempts would time out after a minute.
  await eventually(() => receiver.hits.length === 16, patient);
  const fresh = events.map(({ id }) => deliveryId(id, uuidOf('webhook', webhook.id)));
  const expected = [...queued, ...fresh].map((id) => encodeId('delivery', id)).toSorted();
  const second = receiver.hits.slice(8).map(({ headers }) => headers['webhook-id'] as string);
  t.deepEqual(second.toSorted(), expected);

  // The attempts of the second process last for several leases, which the ack wait of the stream equals.
  await running.start();
  const renewals = new Set<number>();
  const text = 'select extract(epoch from due_at)::float8 as due from dispatcher.queue';
  await eventually(async () => {
    const rows = await running.database.query<{ due: number }>({ name: 'test.due', text }, []);
    for (const { due } of rows) renewals.add(due);
    return renewals.size > 6;
  }, patient);
  t.is(receiver.hits.length, 16);
  for (const response of held) response.end();
  for (const { id } of events)
    await eventually(
      async () => (await running.delivery(id, webhook))?.status === 'delivered',
      patient,
    );
});
