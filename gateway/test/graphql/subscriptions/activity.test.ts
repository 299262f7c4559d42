import { encodeId, type WorkspaceBroadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { randomUUID } from 'node:crypto';
import type { TestKey } from '../../stub-services.js';
import { gatewayFor, sharedGateway, type TestGateway } from '../../test-gateway.js';
import { stalledSubscriber } from './stalled-subscriber.js';
import { followEvents, type Received } from './follow-events.js';
import { overSse, transports } from './transports.js';

const gateway = sharedGateway(test);

const query = `subscription {
  activity {
    deliveries { id eventId webhookId status statusCode attemptCount at }
    webhooks { id circuit at }
    imports { id status total done created updated skipped failed }
    replays { id webhookId status total done }
    contactActions { id status total examined matched changed unchanged failed }
    more
  }
}`;

const nothing = { deliveries: [], webhooks: [], imports: [], replays: [], contactActions: [] };
const at = '2026-01-31T09:00:00.000Z';
const delivery = (status: 'delivered' | 'pending' = 'delivered') => ({
  ...{ id: encodeId('delivery', randomUUID()), eventId: encodeId('event', randomUUID()) },
  ...{ webhookId: encodeId('webhook', randomUUID()), status, statusCode: 200 },
  ...{ attemptCount: 1, at },
});

type Message = WorkspaceBroadcasts['workspace.activity'];
const announce = ({ stubs }: TestGateway, { workspaceId }: TestKey, message: Message) =>
  stubs.bus.broadcastTo(workspaceId, 'workspace.activity', message);

type Transport = (typeof transports)[keyof typeof transports];

/** Follows the activity of the workspace of a key, and waits for the first result. */
async function follow(
  t: ExecutionContext,
  transport: Transport,
  { url }: TestGateway,
  key: TestKey,
): Promise<Received> {
  const received = followEvents(transport(t, url, key), {}, query);
  await eventually(() => received.results.length > 0);
  return received;
}

const activities = ({ results }: Received) => results.map(({ data }) => data?.['activity']);

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: the first result says that there is more, and the next ones what changed in the workspace of the key`, async (t) => {
    const [key, other] = [gateway().stubs.makeKey(), gateway().stubs.makeKey()];
    const received = await follow(t, transport, gateway(), key);
    announce(gateway(), other, { more: true });
    const [mine, replayId] = [delivery(), encodeId('replay', randomUUID())];
    const webhook = { id: mine.webhookId, circuit: 'open' as const, at };
    const action = {
      ...{ id: encodeId('contactAction', randomUUID()), total: 5, examined: 4 },
      ...{ matched: 3, changed: 1, unchanged: 1, failed: 1 },
    };
    const replay = { id: replayId, webhookId: mine.webhookId, status: 'running' as const };
    announce(gateway(), key, {
      deliveries: [mine],
      webhooks: [webhook],
      replays: [{ ...replay, total: 3, done: 1 }],
      contactActions: [{ ...action, status: 'running' }],
    });
    await eventually(() => received.results.length > 1);
    t.deepEqual(activities(received), [
      { ...nothing, more: true },
      {
        ...nothing,
        deliveries: [{ ...mine, status: 'DELIVERED' }],
        webhooks: [{ ...webhook, circuit: 'OPEN' }],
        replays: [{ ...replay, status: 'RUNNING', total: 3, done: 1 }],
        contactActions: [{ ...action, status: 'RUNNING' }],
        more: false,
      },
    ]);
  });

  test(`${name}: requires the scope of deliveries, and ends when the key is revoked`, async (t) => {
    const outside = gateway().stubs.makeKey({ scopes: ['api_user'] });
    const refused = followEvents(transport(t, gateway().url, outside), {}, query);
    await eventually(() => refused.codes.length > 0);
    t.deepEqual(refused.codes, ['insufficient_scope']);
    const key = gateway().stubs.makeKey({ scopes: ['user'] });
    const received = await follow(t, transport, gateway(), key);
    gateway().stubs.bus.broadcast('keys.revoked', { keyId: key.keyId });
    await eventually(() => received.codes.includes('unauthenticated') && received.end);
  });

  test(`${name}: after a restart of NATS, a result says that there is more`, async (t) => {
    const own = await gatewayFor(t);
    const key = own.stubs.makeKey();
    const received = await follow(t, transport, own, key);
    await own.nats.restart();
    await eventually(() => received.results.length > 1, { timeoutMs: 20_000 });
    t.deepEqual(activities(received)[1], { ...nothing, more: true });
    const mine = delivery('pending');
    await eventually(() => {
      announce(own, key, { deliveries: [mine] });
      return received.results.length > 2;
    });
    t.like(activities(received).at(-1), { deliveries: [{ id: mine.id, status: 'PENDING' }] });
    t.is(received.end, undefined);
  });
}

test('a client that does not read misses messages, and then learns that there is more', async (t) => {
  const key = gateway().stubs.makeKey();
  const slow = await stalledSubscriber(t, gateway(), key, query);
  const reader = await follow(t, overSse, gateway(), key);
  // Large, so that some tens of them fill the socket buffers between the gateway and the client.
  const large = (): Message => ({ deliveries: [{ ...delivery(), id: 'x'.repeat(400_000) }] });
  for (let count = 1; count <= 80; count += 1) {
    announce(gateway(), key, large());
    // Each was received by the gateway before the next one is sent.
    await eventually(() => reader.results.length > count);
  }
  let text = '';
  slow.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  slow.resume();
  const results = () => text.split('event: next').slice(1);
  // The head of the response, and perhaps the first result, were read before.
  await eventually(() => results().length > 8 && results().at(-1)!.includes('"more":true'));
  t.true(results().length < 80, 'some were dropped');
  t.false(text.includes('event: complete'));
});
