import { deliveredData, encodeId, eventData, eventKinds } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { sampleEvent } from '../../operations/test-webhook.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf } from './caller.js';

for (const kind of eventKinds)
  test(`the sample of ${kind} has the fields of its contract, with either payload`, (t) => {
    const workspaceId = encodeId('workspace', new IdClock().next());
    const { compact, full = compact } = sampleEvent(kind, workspaceId, new Date(), new IdClock());
    t.deepEqual(eventData[kind].parse(compact.data) as object, compact.data);
    const { data } = JSON.parse(JSON.stringify(full)) as { data: object };
    t.deepEqual(deliveredData[kind].parse(data) as object, data);
  });

test('sends a test delivery of any kind once, marked as a test', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const receiver = await receiverFor(t, (response) => response.writeHead(500).end());
  const webhook = running.addWebhook(receiver.url, { events: ['CONTACT_CREATED'] });
  const { delivery } = await call('webhooks.test', {
    webhookId: webhook.id,
    kind: 'WORKSPACE_TEAM_MEMBER_JOINED',
  });
  const after = await eventually(async () => {
    const shown = (await call('deliveries.get', { deliveryId: delivery.id })).delivery;
    return shown.status === 'dead' && shown;
  });
  t.regex(after.reason!, /^Test deliveries/);
  t.is(after.attempts[0]!.trigger, 'test');
  t.is(receiver.hits.length, 1);
  t.like(receiver.hits[0]!.headers, {
    'x-roster-event-id': delivery.eventId,
    'x-roster-webhook-id': webhook.id,
  });
  t.like(JSON.parse(receiver.hits[0]!.body), { event: 'WORKSPACE_TEAM_MEMBER_JOINED', test: true });
  t.is(
    await codeOf(
      call('webhooks.test', {
        webhookId: encodeId('webhook', new IdClock().next()),
        kind: 'CONTACT_CREATED',
      }),
    ),
    'not_found',
  );
});
