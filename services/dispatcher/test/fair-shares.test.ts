import type { ServerResponse } from 'node:http';
import { encodeId } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { patient } from './operations/caller.js';
import { insertDue } from './queue/queued-deliveries.js';
import { receiverFor } from './receiver.js';
import { runDispatcher } from './running-dispatcher.js';

const ids = new IdClock();
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

for (const [where, spread] of [
  ['one webhook', 1],
  ['many webhooks', 20],
] as const)
  test(`a workspace with 1,000 due deliveries of ${where}, whose receivers hang, leaves half of the slots to others`, async (t) => {
    const running = await runDispatcher(t, { ATTEMPTS_MAX: '16', ATTEMPTS_PER_WEBHOOK_MAX: '99' });
    const hanging = await receiverFor(t, () => undefined);
    const working = await receiverFor(t);
    await running.stopAll();
    const other = ids.next();
    for (const webhook of times(spread, () => running.addWebhook(hanging.url)))
      await insertDue(running.database, running.workspace.id, webhook, 1000 / spread);
    const quiet = running.addWebhook(working.url);
    await insertDue(running.database, other, quiet, 20);
    await running.start();
    await eventually(() => working.hits.length === 20, patient);
    await eventually(() => hanging.hits.length === 8, patient);
    await insertDue(running.database, other, quiet, 1);
    await eventually(() => working.hits.length === 21, patient);
    t.is(hanging.hits.length, 8);
  });

test('due deliveries of workspaces are sent in turn, even if one workspace has many that have waited longer', async (t) => {
  const running = await runDispatcher(t, { ATTEMPTS_MAX: '8' });
  const order: string[] = [];
  const receiverOf = (name: string) =>
    receiverFor(t, (response) => {
      order.push(name);
      response.end();
    });
  const [busy, quiet] = [await receiverOf('busy'), await receiverOf('quiet')];
  await running.stopAll();
  for (const webhook of times(10, () => running.addWebhook(busy.url)))
    await insertDue(running.database, running.workspace.id, webhook, 60);
  await insertDue(running.database, ids.next(), running.addWebhook(quiet.url), 30);
  await running.start();
  await eventually(() => quiet.hits.length === 30, patient);
  const before = order.lastIndexOf('quiet') - 29;
  // One of each in turn, and those in flight.
  t.true(before < 30 + 60, `${before} deliveries of the busy workspace came before`);
});

test('events of a workspace whose webhooks hang do not delay those of another', async (t) => {
  const running = await runDispatcher(t, { ATTEMPTS_MAX: '16' });
  const hanging = await receiverFor(t, () => undefined);
  const working = await receiverFor(t);
  const other = ids.next();
  for (let n = 0; n < 10; n += 1) running.addWebhook(hanging.url, {}, running.workspace.outside);
  running.addWebhook(working.url, {}, encodeId('workspace', other));
  await Promise.all(times(100, () => running.publish()));
  await eventually(() => hanging.hits.length >= 8, patient);
  await Promise.all(times(20, () => running.publish('CONTACT_CREATED', { workspaceId: other })));
  await eventually(() => working.hits.length === 20, patient);
  // At most half of the slots of each lane.
  t.true(hanging.hits.length <= 16, `${hanging.hits.length}`);
});

for (const [where, hosts] of [
  ['one address', false],
  ['one address under several host names', true],
] as const)
  test(`webhooks that hang do not delay those of another webhook at ${where}, also of the same workspace`, async (t) => {
    const resolve = async () => ({ addresses: ['127.0.0.1'] });
    const env = { ATTEMPT_TIMEOUT_MS: '60000' };
    const running = await runDispatcher(t, env, { resolve: resolve as never });
    const hanging = await receiverFor(t, () => undefined);
    const working = await receiverFor(t);
    const at = (name: string, { port }: { port: number }) =>
      `http://${hosts ? `${name}.example` : '127.0.0.1'}:${port}/`;
    const own = running.workspace.id;
    const neighbours = times(4, () => ids.next());
    const outside = (id: string) => encodeId('workspace', id);
    const add = (owner: string) =>
      times(5, (n) => running.addWebhook(at(`${owner}-${n}`, hanging), {}, outside(owner)));
    const publish = async (count: number, owners: string[]) =>
      Promise.all(
        owners.flatMap((workspaceId) =>
          times(count, () => running.publish('CONTACT_CREATED', { workspaceId })),
        ),
      );
    add(own);
    running.addWebhook(at('working', working), {}, outside(own));
    await publish(50, [own]);
    await eventually(() => working.hits.length === 50, patient);
    for (const neighbour of neighbours) add(neighbour);
    await publish(50, [own, ...neighbours]);
    await eventually(() => working.hits.length === 100, patient);
    t.true(hanging.hits.length <= 48, `${hanging.hits.length} hang`);
    const lastly = running.addWebhook(at('lastly', working), {}, outside(own));
    const [last] = await publish(1, [own]);
    await eventually(
      async () => (await running.delivery(last!.id, lastly))?.status === 'delivered',
      patient,
    );
  });

test('attempts in flight to one address are limited, whatever the number of webhooks and host names, and no delivery fails because of the limit', async (t) => {
  const hosts = times(10, (at) => `host-${at}.example`);
  const env = { ATTEMPTS_PER_ADDRESS_MAX: '6' };
  const resolve = async () => ({ addresses: ['127.0.0.1'] });
  const running = await runDispatcher(t, env, { resolve: resolve as never });
  let held: ServerResponse[] | undefined = [];
  let [open, most] = [0, 0];
  const receiver = await receiverFor(t, (response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => (open -= 1));
    if (held) held.push(response);
    else response.end();
  });
  for (const host of hosts) running.addWebhook(`http://${host}:${receiver.port}/`);
  const events = await Promise.all(times(5, () => running.publish()));
  await eventually(async () => {
    const [row] = await running.database.em.execute<{ count: number }[]>(
      'select count(*)::int as count from dispatcher.queue',
    );
    return row!.count + open === 50;
  }, patient);

  const released = held;
  held = undefined;
  for (const response of released) response.end();
  for (const { id } of events)
    for (const webhook of running.webhooks)
      await eventually(
        async () => (await running.delivery(id, webhook))?.status === 'delivered',
        patient,
      );
  t.is(receiver.hits.length, 50);
  t.true(most <= 6, `${most} at once`);
});
