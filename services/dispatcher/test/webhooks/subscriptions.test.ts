import { connectBus, type HandlerTable } from '@roster/bus';
import { encodeId, Fault, uuidOf } from '@roster/contracts';
import { IdClock, openLog } from '@roster/process';
import { eventually, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import type { Subscription } from '../../webhooks/known-webhook.js';
import { Subscriptions } from '../../webhooks/subscriptions.js';
import { WebhooksService } from '../../webhooks/webhooks-service.js';

const log = openLog('dispatcher', 'silent');
const ids = new IdClock();
const makeWorkspace = () => ids.next();

/** A webhooks service that counts its calls, and a cache of its answers, each on its own connection. */
async function open(t: ExecutionContext) {
  const nats = await throwawayNats();
  const [service, own] = await Promise.all([
    connectBus({ servers: nats.url, name: 'webhooks', log }),
    connectBus({ servers: nats.url, name: 'dispatcher', log }),
  ]);
  const state = { calls: 0, away: false, subscriptions: [] as Subscription[] };
  service.serve('webhooks', {
    'webhooks.subscriptions': async (calls) =>
      calls.map(() => {
        if (state.away) return new Fault('unavailable', 'away');
        state.calls += 1;
        return { subscriptions: [...state.subscriptions] };
      }),
  } as Partial<HandlerTable<'webhooks'>> as HandlerTable<'webhooks'>);
  const subscriptions = new Subscriptions(new WebhooksService(own));
  await Promise.all([service.link.nats.flush(), own.link.nats.flush()]);
  t.teardown(async () => {
    subscriptions.close();
    await Promise.all([service.close(), own.close()]);
    await nats.stop();
  });
  const announce = async (workspaceId: string) => {
    service.broadcast('webhooks.changed', { workspaceId: encodeId('workspace', workspaceId) });
    await service.link.nats.flush();
    // After a round trip, the listener has received the earlier messages.
    await own.link.nats.flush();
  };
  return { nats, state, subscriptions, own, service, announce };
}

const webhook = (): Subscription => ({
  id: encodeId('webhook', ids.next()),
  url: 'https://example.com/hooks',
  events: ['CONTACT_CREATED'],
  payload: 'compact',
  token: 'a-token',
  previousToken: null,
  disabledReason: null,
});

test('simultaneous look-ups of a workspace share one request, and its answer is cached', async (t) => {
  const { state, subscriptions } = await open(t);
  const workspace = makeWorkspace();
  state.subscriptions.push(webhook());
  const answers = await Promise.all(
    Array.from({ length: 50 }, async () => subscriptions.of(workspace)),
  );
  t.true(answers.every(({ all }) => all.length === 1));
  await subscriptions.of(workspace);
  t.is(state.calls, 1);
});

test('caches that a workspace has no webhooks, until a change is broadcast', async (t) => {
  const { state, subscriptions, announce } = await open(t);
  const workspace = makeWorkspace();
  t.deepEqual((await subscriptions.of(workspace)).all, []);
  state.subscriptions.push(webhook());
  t.deepEqual((await subscriptions.of(workspace)).all, []);
  await announce(makeWorkspace());
  t.deepEqual((await subscriptions.of(workspace)).all, []);
  await announce(workspace);
  t.is((await subscriptions.of(workspace)).all.length, 1);
  t.is(state.calls, 2);
});

test('finds a new webhook although its broadcast was missed, and looks an unknown one up once for simultaneous calls', async (t) => {
  const { state, subscriptions } = await open(t);
  const workspace = makeWorkspace();
  const idOf = ({ id }: Subscription) => uuidOf('webhook', id);
  t.deepEqual((await subscriptions.of(workspace)).all, []);
  const created = webhook();
  state.subscriptions.push(created);
  const found = await subscriptions.one(workspace, idOf(created));
  t.is(found?.id, idOf(created));
  t.is(state.calls, 2);
  await subscriptions.one(workspace, idOf(created));
  t.is(state.calls, 2);
  const unknown = await Promise.all(
    Array.from({ length: 50 }, () => subscriptions.one(workspace, ids.next())),
  );
  t.true(unknown.every((one) => one === undefined));
  t.is(state.calls, 3);
});

test('does not cache a failed look-up', async (t) => {
  const { state, subscriptions } = await open(t);
  const workspace = makeWorkspace();
  state.away = true;
  await t.throwsAsync(async () => subscriptions.of(workspace), { code: 'unavailable' });
  state.away = false;
  t.deepEqual((await subscriptions.of(workspace)).all, []);
});

test('clears the cache after a disconnection from NATS, because a broadcast may have been missed', async (t) => {
  const { nats, state, subscriptions, own, service } = await open(t);
  const workspace = makeWorkspace();
  await subscriptions.of(workspace);
  nats.kill('SIGKILL');
  await nats.restart();
  await eventually(() => own.link.up && service.link.up);
  state.subscriptions.push(webhook());
  const found = await eventually(() => subscriptions.of(workspace));
  t.is(found.all.length, 1);
});
