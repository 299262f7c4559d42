import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { checksumOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from '../system/client.js';
import { startReceiver } from '../system/receiver.js';
import { patience, startRoster, type RunningRoster } from '../system/running-roster.js';

let running: RunningRoster;
test.before(async (t) => {
  running = await startRoster({
    t,
    env: {
      ...patience,
      // The test is the proxy, and claims the addresses of its clients.
      TRUSTED_PROXIES: '127.0.0.0/8',
      FAILED_AUTHENTICATIONS_PER_MINUTE: '20',
      RATE_LIMIT_PER_SECOND: '1000',
    },
  });
});
test.after.always(() => running?.discard());

/** Well-formed, with a valid checksum, and unknown. */
function unknownKey(): string {
  const random = randomBytes(15).toString('hex');
  return `rsk_${random}${checksumOf(random)}`;
}

const statusFrom = async (address: string, key: string) =>
  (
    await fetch(`${running.baseUrl}/v1/contacts?limit=1`, {
      headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
    })
  ).status;

test('a flood of invalid keys is refused by address; other addresses and verified keys are not affected', async (t) => {
  t.is(await statusFrom('198.51.100.1', running.apiKey), 200);
  const flood = () =>
    Promise.all(Array.from({ length: 50 }, () => statusFrom('198.51.100.1', unknownKey())));
  t.true((await flood()).includes(401));
  // Keys that are looked up at the same time exceed the limit together, and are subtracted from what is allowed later.
  await eventually(async () => (await flood()).every((status) => status === 429));
  t.is(await statusFrom('198.51.100.1', running.apiKey), 200);
  t.is(await statusFrom('198.51.100.2', unknownKey()), 401);
});

test('a client cannot claim another address: only the last address, which the proxy added, is used', async (t) => {
  const claim = (claimed: string) => statusFrom(`${claimed}, 203.0.113.9`, unknownKey());
  const flood = (first: number) =>
    Promise.all(Array.from({ length: 50 }, (_, index) => claim(`203.0.113.${first + index}`)));
  await eventually(async () => (await flood(20)).every((status) => status === 429));
  t.is(await statusFrom('203.0.113.25', unknownKey()), 401);
});

/** Text that would end a header or a line of the log, and begin one of the attacker's. */
const breaks = ['\r\n', '\n', '\r', '%0d%0a', '%0A', '\u2028', '\u0085', '\\r\\n', '\0'];
const injected = 'X-Injected: 1';
const forged = '{"level":50,"msg":"forged"}';

/** Sends bytes, and returns everything that is received until the connection ends. */
function exchange(request: string): Promise<string> {
  const { hostname, port } = new URL(running.baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => socket.destroy());
  socket.end(Buffer.from(request, 'utf8'));
  return text(socket).catch(() => '');
}

/** Requests with a text in every place that a client chooses. */
function requestsWith(value: string): string[] {
  const key = `Authorization: Bearer ${running.apiKey}`;
  const request = (line: string, headers: string[] = [], body = '') =>
    [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', key, ...headers, '', body].join('\r\n');
  const json = (body: object) => {
    const bytes = JSON.stringify(body);
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(bytes)}`,
    ];
    return [headers, bytes] as const;
  };
  return [
    request(`GET /v1/contacts/${encodeURI(value)}`),
    request(`GET /v1/contacts?after=${encodeURIComponent(value)}`),
    request(`GET /v1/contacts?${value}`),
    request(`GET http://x/${value}`),
    request(`GET /v1/contacts`, [`X-Request-Id: ${value}`]),
    request(`GET /v1/contacts`, [`traceparent: ${value}`, `Idempotency-Key: ${value}`]),
    request(`GET /v1/contacts`, [`Origin: ${value}`, `X-Forwarded-For: ${value}`]),
    request(`GET /v1/contacts`, [`Forwarded: for="${value}"`, `User-Agent: ${value}`]),
    request(`GET /v1/contacts`, [`Authorization: Bearer ${value}`]),
    request(`OPTIONS /v1/contacts`, [
      `Origin: https://${value}`,
      `Access-Control-Request-Method: GET`,
      `Access-Control-Request-Headers: ${value}`,
    ]),
    request('POST /v1/contacts', ...json({ email: `${value}@example.com`, [value]: value })),
    request('POST /v1/webhooks', ...json({ url: `https://x/${value}`, events: [value] })),
    request('POST /graphql', ...json({ query: `{ ${value} }`, operationName: value })),
    request('GET /graphql', [`Upgrade: websocket`, `Sec-WebSocket-Protocol: ${value}`]),
  ];
}

test('no input ends a header of a response: none is split', async (t) => {
  for (const split of breaks) {
    const value = `a${split}${injected}${split}${split}<html>`;
    // A literal line break in a header of the request begins a header of the request.
    for (const answer of await Promise.all(requestsWith(value).map(exchange))) {
      const [head = ''] = answer.split('\r\n\r\n');
      t.false(/^x-injected/im.test(head), JSON.stringify({ split, head }));
      for (const line of head.split('\r\n').slice(1))
        t.regex(line, /^[\w-]+: [\x20-\x7e]*$/, JSON.stringify({ split, line }));
    }
  }
});

test('no input begins a line of a log, or adds a control character to one', async (t) => {
  for (const split of breaks) {
    const value = `a${split}${forged}${split}\u001b[31m`;
    await Promise.all(requestsWith(value).map(exchange));
  }
  // The last line of the gateway's log that concerns these requests.
  const marker = `marker-${Date.now()}`;
  const folder = join(running.home, 'logs');
  await fetch(`${running.baseUrl}/v1/users/me`, {
    headers: { authorization: `Bearer ${running.apiKey}`, 'x-request-id': marker },
  });
  await eventually(async () =>
    (await readFile(join(folder, 'gateway.log'), 'utf8')).includes(marker),
  );
  const ours = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'];
  const names = (await readdir(folder)).filter((name) => ours.includes(name.split('.')[0]!));
  t.true(names.length >= ours.length);
  for (const name of names) {
    const log = await readFile(join(folder, name), 'utf8');
    for (const line of log.split('\n').filter(Boolean)) {
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      t.notRegex(line, /[\0-\x1f\x7f-\x9f\u2028\u2029]/, name);
      t.not((JSON.parse(line) as { msg?: string }).msg, 'forged');
    }
  }
});

test('no data of a contact ends a header of a webhook request', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const client = new Client(running);
  const { status } = await client.post('/v1/webhooks', {
    url: `${receiver.url}?a=b%0d%0a${injected}`,
    events: ['CONTACT_CREATED'],
  });
  t.is(status, 201);
  const name = `Ada\r\n${injected}\r\n\r\n{}`;
  t.is((await client.post('/v1/contacts', { email: 'split@example.com', name })).status, 201);
  const [received] = await eventually(() => receiver.received.length > 0 && receiver.received);
  t.is(received!.headers['x-injected'], undefined);
  t.is(received!.body.data.contact!.name, name);
});
