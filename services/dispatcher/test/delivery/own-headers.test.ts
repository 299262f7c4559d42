import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

test('deliveries have the headers of their webhook, and none of them replaces one of the system', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, {
    headers: { Authorization: 'Bearer abcdef', 'X-ROSTER-Signature': 'forged' },
  });
  const { id } = await running.publish();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const received = receiver.hits[0]!.headers;
  t.is(received['authorization'], 'Bearer abcdef');
  t.regex(received['x-roster-signature'] as string, /^[0-9a-f]{64}$/);
});

test('a pending delivery is retried with the headers that its webhook has by then', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '0.2' });
  const receiver = await receiverFor(t, (response, _, request) =>
    response.writeHead(request.headers['authorization'] === 'new-secret' ? 200 : 401).end(),
  );
  const webhook = running.addWebhook(receiver.url, { headers: { Authorization: 'old-secret' } });
  const { id } = await running.publish();
  await eventually(() => receiver.hits.length > 0);
  webhook.headers = { Authorization: 'new-secret' };
  running.changed();
  await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  t.is(receiver.hits.at(-1)!.headers['authorization'], 'new-secret');
});

test('an attempt does not keep header values that the receiver returns', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t, (response, _, request) => {
    const value = request.headers['authorization']!;
    response
      .writeHead(200, { 'x-echo': value })
      .end(`${value} ${value.slice(7)} ${'x'.repeat(4096 - 2 * value.length)} ${value}`);
  });
  const webhook = running.addWebhook(receiver.url, {
    headers: { Authorization: 'Bearer abcdefghijkl' },
  });
  const { id } = await running.publish();
  const row = await eventually(() => running.delivery(id, webhook));
  t.notRegex(JSON.stringify(row), /Bearer a|abcdef/);
  t.regex(row.attempts[0]!['responseBody'] as string, /^\(redacted\) \(redacted\) x/);
});

test('an attempt does not keep header values that the receiver returns in JSON, with escaped slashes or without', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t, (response, _, request) => {
    const json = JSON.stringify(request.headers);
    response.writeHead(200).end(`${json} ${json.replaceAll('/', String.raw`\/`)}`);
  });
  const webhook = running.addWebhook(receiver.url, {
    headers: { Authorization: 'Basic left/right==', 'X-Quoted': String.raw`before"after\end` },
  });
  const { id } = await running.publish();
  const row = await eventually(() => running.delivery(id, webhook));
  const body = row.attempts[0]!['responseBody'] as string;
  t.is(body.match(/"x-quoted":"\(redacted\)"/g)?.length, 2, body);
  t.notRegex(body, /left|right|before|after/);
});

test('a delivery waits while the headers of its webhook cannot be decrypted', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { headers: null });
  const { id } = await running.publish();
  const row = await eventually(() => running.delivery(id, webhook));
  t.is(row.status, 'pending');
  t.is(row.reason, 'The headers of the webhook cannot be decrypted.');
  t.is(receiver.hits.length, 0);
});
