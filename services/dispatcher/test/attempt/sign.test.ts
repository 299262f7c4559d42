import { createHmac } from 'node:crypto';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../attempt/sign.js';

const body = '{"name":"Zoë 🦊","n":1}';
const signed = { id: 'dlv_1', body, timestamp: Math.floor(Date.now() / 1000) };
const token = 'wht_correct-horse';

test('signs the body as node:crypto does, and id, time and body as Standard Webhooks verifies', (t) => {
  const headers = signatureHeaders('roster', { ...signed, tokens: [token] });
  t.is(headers['x-roster-signature'], createHmac('sha256', token).update(body).digest('hex'));
  const webhook = new Webhook(token, { format: 'raw' });
  t.deepEqual(webhook.verify(Buffer.from(body), headers), JSON.parse(body));
});

test('a signature is not valid for another id, time, body or token', (t) => {
  const headers = signatureHeaders('roster', { ...signed, tokens: [token] });
  const verify = (changed: Record<string, string>, text = body, key = token) =>
    new Webhook(key, { format: 'raw' }).verify(Buffer.from(text), { ...headers, ...changed });
  t.throws(() => verify({ 'webhook-id': 'dlv_2' }));
  t.throws(() => verify({ 'webhook-timestamp': String(signed.timestamp - 1) }));
  t.throws(() => verify({}, body.replace('1', '2')));
  t.throws(() => verify({}, body, `${token}!`));
});

test('a recorded delivery is refused after five minutes, also with the current time as its timestamp', (t) => {
  const ago = (seconds: number) => {
    const timestamp = signed.timestamp - seconds;
    return signatureHeaders('roster', { ...signed, timestamp, tokens: [token] });
  };
  const verify = (headers: Record<string, string>) =>
    new Webhook(token, { format: 'raw' }).verify(Buffer.from(body), headers);
  t.notThrows(() => verify(ago(240)));
  t.throws(() => verify(ago(360)), { message: /too old/ });
  t.throws(() => verify({ ...ago(360), 'webhook-timestamp': String(signed.timestamp) }));
});

test('signs with both tokens while an old one overlaps, so that either verifies', (t) => {
  const headers = signatureHeaders('roster', { ...signed, tokens: ['the-new-one', token] });
  for (const key of ['the-new-one', token])
    t.notThrows(() => new Webhook(key, { format: 'raw' }).verify(Buffer.from(body), headers));
  const plain = (key: string) => createHmac('sha256', key).update(body).digest('hex');
  t.is(headers['x-roster-signature'], plain('the-new-one'));
  t.is(headers['x-roster-signature-previous'], plain(token));
});
