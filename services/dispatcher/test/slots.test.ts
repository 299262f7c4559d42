import test from 'ava';
import { AttemptsInFlight } from '../slots/attempts-in-flight.js';
import type { Recipient } from '../webhooks/known-webhook.js';
import { Slots, type SlotLimits } from '../slots/slots.js';

/** A webhook, by default alone in its workspace and on its host. */
const webhook = (id: string, { workspaceId = id, host = id } = {}): Recipient => ({
  ...{ id, workspaceId },
  url: new URL(`https://${host}.example/`),
});
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => webhook(id)) as [
  Recipient,
  Recipient,
  Recipient,
  Recipient,
];

const inFlightOf = (perWebhookMax = 99, perTargetMax = 99) =>
  new AttemptsInFlight({ perWebhookMax, perTargetMax });

const open = (limits: Partial<SlotLimits>, inFlight = inFlightOf()) =>
  new Slots(
    {
      ...{ totalMax: 99, slowMax: limits.totalMax ?? 99, yielded: 0 },
      ...{ waitingMax: 99, waitingTotalMax: 99, waitMs: 60_000, ...limits },
    },
    inFlight,
  );

/** Takes slots until none is free, and returns their number. */
async function takeAll(slots: Slots, recipient: Recipient): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const slot = slots.reserve(recipient);
    if (slot !== true) return taken;
  }
}

test('slots are limited per webhook, a bounded number of deliveries waits, and others are refused', async (t) => {
  const slots = open({ totalMax: 4, waitingMax: 1 }, inFlightOf(2));
  t.true(await slots.reserve(a));
  t.true(await slots.reserve(a));
  const third = slots.reserve(a);
  t.false(await slots.reserve(a));
  t.true(await slots.reserve(b));
  t.true(await slots.reserve(c));
  const other = slots.reserve(d);
  slots.giveBack(a);
  t.true(await other, 'its workspace has none');
  slots.giveBack(b);
  slots.giveBack(c);
  t.true(await third);
});

test('the wait for a slot is bounded', async (t) => {
  const slots = open({ totalMax: 1, waitMs: 20 });
  t.true(await slots.reserve(a));
  t.false(await slots.reserve(a));
  slots.giveBack(a);
  t.true(await slots.reserve(b));
});

test('slow webhooks, however many, leave half of the slots to fast ones', async (t) => {
  const slots = open({ totalMax: 8, slowMax: 4, waitingMax: 0 });
  const quick = webhook('quick');
  t.true(await slots.reserve(quick));
  for (const hanging of [a, b, c]) t.true(await slots.reserve(hanging));
  t.false(await slots.reserve(a), 'four are taken');
  slots.giveBack(quick, 5);
  t.true(await slots.reserve(quick));
  t.true(await slots.reserve(quick), 'its last answer was quick');
  t.true(await slots.reserve(d), 'the first slot of a workspace');
  t.false(await slots.reserve(d));
});

test('no more deliveries wait for a slot than are served within the wait limit', async (t) => {
  const slots = open({ waitMs: 1000 }, inFlightOf(1));
  t.true(await slots.reserve(a));
  const second = slots.reserve(a);
  slots.giveBack(a, 500);
  t.true(await second);
  const waiting = [slots.reserve(a), slots.reserve(a)];
  t.false(await slots.reserve(a), 'each takes half a second');
  for (const next of waiting) {
    slots.giveBack(a, 500);
    t.true(await next);
  }
});

test('fresh deliveries leave a part of the slots of a webhook to retries', async (t) => {
  const inFlight = inFlightOf(4);
  const retries = open({}, inFlight);
  const fresh = open({ yielded: 1 }, inFlight);
  t.is(await takeAll(fresh, a), 3);
  t.true(await retries.reserve(a));
  const retry = retries.reserve(a);
  fresh.giveBack(a);
  t.true(await retry, 'deliveries of the queue are older');
  t.is(fresh.taken, 2);
  retries.giveBack(a);
  retries.giveBack(a);
  t.is(fresh.taken, 3, 'a waiting fresh delivery takes the free slot');
});

test('an attempt is counted for the host that it began with, though the URL of its webhook has changed', async (t) => {
  const slots = open({ waitingMax: 0 }, inFlightOf(99, 1));
  const [before, after] = ['old', 'new'].map((host) => webhook('a', { host })) as [
    Recipient,
    Recipient,
  ];
  t.true(await slots.reserve(before));
  t.true(await slots.reserve(after));
  slots.giveBack(before);
  t.false(await slots.reserve(webhook('b', { host: 'new' })));
  t.true(await slots.reserve(webhook('c', { host: 'old' })));
});

for (const neighbours of [false, true])
  test(`any number of webhooks that hang, ${neighbours ? 'of many workspaces' : 'of one workspace'}, leave slots of their address to quick and to new ones`, async (t) => {
    const inFlight = inFlightOf(32, 64);
    const slots = open({ totalMax: 512, waitingMax: 0 }, inFlight);
    const at = (id: string) =>
      webhook(id, { workspaceId: neighbours ? `workspace-${id}` : 'workspace', host: 'shared' });
    const [quick, fresh] = [at('quick'), at('new')];
    const hanging = Array.from({ length: 200 }, (_, n) => at(`hanging-${n}`));
    t.true(await slots.reserve(quick));
    slots.giveBack(quick, 5);
    for (let round = 0, known = 0; known < hanging.length; round += 1) {
      const taken: Recipient[] = [];
      for (const recipient of [...hanging.slice(known), ...hanging.slice(0, known)]) {
        if (!(await slots.reserve(recipient))) continue;
        taken.push(recipient);
        t.true(await slots.reserve(quick), 'beside any number of first attempts');
        slots.giveBack(quick, 5);
      }
      t.true(taken.length >= 8 && taken.length <= 48, `${taken.length} in round ${round}`);
      for (const recipient of taken) slots.giveBack(recipient, 15_000);
      known = hanging.findIndex(({ id }) => inFlight.speedOf(id) === 'unknown');
      if (known < 0) break;
    }
    let taken = 0;
    for (const recipient of hanging) taken += await takeAll(slots, recipient);
    t.true(taken >= 16 && taken <= 32, `${taken} hang`);
    t.true(await slots.reserve(fresh), 'its first attempt');
    slots.giveBack(fresh, 5);
    t.true((await takeAll(slots, fresh)) >= 8);
    t.true(await slots.reserve(quick), 'beside a busy one');
  });

test('an attempt is counted for the address that it connects to, and not made if the address is full', async (t) => {
  const inFlight = inFlightOf(99, 8);
  const slots = open({ waitingMax: 0 }, inFlight);
  const hanging = Array.from({ length: 20 }, (_, n) => webhook(`hanging-${n}`));
  for (const recipient of hanging) t.true(await slots.reserve(recipient), 'its address is unknown');
  const connecting = hanging.filter((recipient) => inFlight.targets.reach(recipient, '192.0.2.1'));
  t.is(connecting.length, 6, 'half, and a quarter for first attempts');
  for (const recipient of hanging) slots.giveBack(recipient, 15_000);
  let taken = 0;
  for (const recipient of hanging) taken += await takeAll(slots, recipient);
  t.is(taken, 4, 'half');
});

test('a workspace takes slots until as many are free, whatever the number of its webhooks', async (t) => {
  const slots = open({ totalMax: 12, waitingMax: 0 });
  let taken = 0;
  for (let n = 0; n < 12; n += 1)
    if (await slots.reserve(webhook(`busy-${n}`, { workspaceId: 'busy' }))) taken += 1;
  t.is(taken, 6);
  t.is(await takeAll(slots, a), 3);
  t.is(await takeAll(slots, b), 2);
  t.is(await takeAll(slots, c), 1);
});

test('waiting deliveries are served in turn, by workspace and by webhook', async (t) => {
  const slots = open({}, inFlightOf(99, 1));
  const at = (id: string, workspaceId: string) => webhook(id, { workspaceId, host: 'shared' });
  const [first, second, other] = [at('1', 'busy'), at('2', 'busy'), at('3', 'quiet')];
  const blocking = at('blocking', 'blocking');
  t.true(await slots.reserve(blocking));
  const order: string[] = [];
  const served = [first, first, first, second, second, other, other].map(async (recipient) => {
    if (await slots.reserve(recipient)) order.push(recipient.id);
    slots.giveBack(recipient);
  });
  slots.giveBack(blocking);
  await Promise.all(served);
  t.deepEqual(order, ['1', '3', '2', '3', '1', '2', '1']);
});

test('a bounded number of deliveries waits, of which workspaces have fair shares', async (t) => {
  const slots = open({ totalMax: 1, waitingTotalMax: 8, waitMs: 20 });
  t.true(await slots.reserve(a));
  const waiting = [a, b].map((recipient) =>
    Array.from({ length: 8 }, () => slots.reserve(recipient)).filter(
      (slot) => slot instanceof Promise,
    ),
  );
  t.deepEqual(
    waiting.map(({ length }) => length),
    [4, 2],
  );
  await Promise.all(waiting.flat());
  t.true(slots.reserve(a) instanceof Promise, 'deliveries that no longer wait are not counted');
});
