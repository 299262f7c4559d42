import { createHmac } from 'node:crypto';
import test from 'ava';
import { VerificationError, verify, type VerificationReason } from '../verify.js';

const token = 'wht_a-secret';
const signingSecret = `whsec_${Buffer.from(token).toString('base64')}`;
const sentAt = 1_700_000_000;
const at = { now: sentAt * 1000 };
const body = JSON.stringify({
  event: 'CONTACT_CREATED',
  created_at: '2026-01-02T03:04:05.006Z',
  data: { contact: { id: 'cont_1', email: 'jürgen@example.com', name: 'Jürgen' } },
});

const signatureBy = (key: string, text = body, id = 'dlv_1') =>
  `v1,${createHmac('sha256', key).update(`${id}.${sentAt}.${text}`).digest('base64')}`;
const headersWith = (signature = signatureBy(token)) => ({
  'webhook-id': 'dlv_1',
  'webhook-timestamp': String(sentAt),
  'webhook-signature': signature,
});

test('returns the event, typed by its kind', async (t) => {
  const event = await verify(body, headersWith(), signingSecret, at);
  t.deepEqual(event as unknown, JSON.parse(body));
  // Compiles only if `event` discriminates.
  if (event.event === 'CONTACT_CREATED') t.is(event.data.contact.email, 'jürgen@example.com');
});

test('accepts a signing secret, a token, text, bytes, and headers of any kind', async (t) => {
  const bytes = Buffer.from(body);
  const lists = Object.fromEntries(Object.entries(headersWith()).map(([k, v]) => [k, [v]]));
  const capitals = Object.fromEntries(
    Object.entries(headersWith()).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const headers of [headersWith(), new Headers(headersWith()), lists, capitals])
    for (const raw of [body, bytes, new Uint8Array(bytes)])
      for (const secret of [signingSecret, token, [token]])
        t.is((await verify(raw, headers, secret, at)).event, 'CONTACT_CREATED');
});

test('accepts each secret of a rotation, and ignores versions it does not know', async (t) => {
  const both = `v1a,AAAA v2,${'A'.repeat(44)} ${signatureBy('new')} ${signatureBy('old')}`;
  for (const secrets of [['old'], ['new'], ['other', 'old'], ['new', 'old']])
    t.is((await verify(body, headersWith(both), secrets, at)).event, 'CONTACT_CREATED');
  const unknown = signatureBy(token).replace('v1,', 'v2,');
  await t.throwsAsync(verify(body, headersWith(unknown), token, at), {
    instanceOf: VerificationError,
  });
});

const refusals: [string, VerificationReason, () => Promise<unknown>][] = [
  ['another body', 'signature', () => verify(`${body} `, headersWith(), token, at)],
  ['another secret', 'signature', () => verify(body, headersWith(), 'wht_other', at)],
  [
    'another ID',
    'signature',
    () => verify(body, { ...headersWith(), 'webhook-id': 'dlv_2' }, token, at),
  ],
  [
    'a signature that is cut',
    'signature',
    () => verify(body, headersWith(signatureBy(token).slice(0, -1)), token, at),
  ],
  ['an empty signature', 'missing_header', () => verify(body, headersWith(''), token, at)],
  ['no headers', 'missing_header', () => verify(body, {}, token, at)],
  ['no Headers', 'missing_header', () => verify(body, new Headers(), token, at)],
  [
    'a request that was recorded',
    'timestamp',
    () => verify(body, headersWith(), token, { now: at.now + 301_000 }),
  ],
  [
    'a request from the future',
    'timestamp',
    () => verify(body, headersWith(), token, { now: at.now - 301_000 }),
  ],
  [
    'a time that is not a number',
    'timestamp',
    () => verify(body, { ...headersWith(), 'webhook-timestamp': 'NaN' }, token, at),
  ],
  [
    'a body that is not JSON',
    'body',
    () => verify('no', headersWith(signatureBy(token, 'no')), token, at),
  ],
  [
    'a body that is JSON and not an event',
    'body',
    () => verify('null', headersWith(signatureBy(token, 'null')), token, at),
  ],
];

for (const [what, reason, attempt] of refusals)
  test(`refuses ${what}`, async (t) => {
    const error = await t.throwsAsync(attempt, { instanceOf: VerificationError });
    t.is(error.reason, reason);
    t.false(error.message.includes(token));
  });

test('accepts a request within the tolerance that is given', async (t) => {
  const late = { now: at.now + 900_000 };
  await t.throwsAsync(verify(body, headersWith(), token, late));
  await t.notThrowsAsync(verify(body, headersWith(), token, { ...late, toleranceSeconds: 901 }));
});

test('throws a TypeError for an empty list, an empty secret, and a body that is parsed', async (t) => {
  const forged = headersWith(signatureBy(''));
  for (const secrets of [[], '', [''], [token, ''], 'whsec_', 'whsec_!'])
    await t.throwsAsync(verify(body, forged, secrets, at), { instanceOf: TypeError });
  const parsed = JSON.parse(body) as string;
  await t.throwsAsync(verify(parsed, headersWith(), token, at), { instanceOf: TypeError });
});
