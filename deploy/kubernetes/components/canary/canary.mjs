/**
 * Changes a contact of a workspace of its own again and again, receives the webhook of each change, and exports how long that took,
 * and how many acknowledged changes it did not hear of. Without packages: it runs on the Node of the image.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const { env } = process;
const required = (name) => {
  if (env[name]) return env[name].trim();
  console.error(`${name} is not set`);
  return process.exit(78);
};
const api = required('ROSTER_URL').replace(/\/+$/, '');
const key = required('ROSTER_API_KEY');
/** The public address of this program. */
const url = required('CANARY_URL');
const everyMs = Number(env.CANARY_EVERY_SECONDS ?? 10) * 1000;
const lostAfterMs = Number(env.CANARY_LOST_AFTER_SECONDS ?? 300) * 1000;
const requestMs = 10_000;
const bodyBytesMax = 64 * 1024;

/** Deliveries are signed when they are sent: those from before a restart are genuine too. */
const token = randomUUID();
const description = 'Canary of the operator';
const email = 'canary@example.com';

/** When each change that was not received yet was sent, by the name that it gave to the contact. */
const sent = new Map();
/** Changes that were received before they were acknowledged. */
const early = new Set();

const changes = { acknowledged: 0, refused: 0 };
let lost = 0;
const bounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const seconds = { counts: bounds.map(() => 0), sum: 0, count: 0 };

const request = async (method, path, body) => {
  const response = await fetch(api + path, {
    method,
    signal: AbortSignal.timeout(requestMs),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
  return JSON.parse(text);
};

/** Whether the webhook has the token. */
let isSigned = false;

/** Creates the webhook, or sets it right: its address may be a new one, and failures may have disabled it. */
const ensureWebhook = async () => {
  const settings = { url, events: ['CONTACT_CREATED', 'CONTACT_UPDATED'] };
  const { webhooks } = await request('GET', '/v1/webhooks');
  const own = webhooks.find((one) => one.description === description);
  const path = `/v1/webhooks/${own?.id}`;
  if (!own) await request('POST', '/v1/webhooks', { ...settings, token, description });
  else if (!isSigned) await request('POST', `${path}/rotate-token`, { token, overlapSeconds: 0 });
  isSigned = true;
  if (own && own.url !== url) await request('PUT', path, settings);
  if (own && own.disabledReason !== null) await request('POST', `${path}/enable`);
};

const change = async () => {
  const name = randomUUID();
  const since = performance.now();
  sent.set(name, { since, isAcknowledged: false });
  try {
    await request('PUT', `/v1/contacts?email=${encodeURIComponent(email)}`, { name });
  } catch (error) {
    // It may have been applied, but nothing was promised.
    sent.delete(name);
    early.delete(name);
    throw error;
  }
  changes.acknowledged += 1;
  if (!early.delete(name)) sent.get(name).isAcknowledged = true;
};

const received = (name) => {
  const change = sent.get(name);
  if (!change) return;
  const took = (performance.now() - change.since) / 1000;
  for (const [at, bound] of bounds.entries()) if (took <= bound) seconds.counts[at] += 1;
  seconds.sum += took;
  seconds.count += 1;
  sent.delete(name);
  if (!change.isAcknowledged) early.add(name);
};

const countLost = () => {
  for (const [name, { since, isAcknowledged }] of sent) {
    if (!isAcknowledged || performance.now() - since < lostAfterMs) continue;
    sent.delete(name);
    lost += 1;
    console.error(
      `a change was acknowledged ${lostAfterMs / 1000} s ago and not delivered: ${name}`,
    );
  }
};

const isGenuine = ({ headers }, body) => {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers;
  const expected = `v1,${createHmac('sha256', token).update(`${id}.${at}.${body}`).digest('base64')}`;
  return given.split(' ').some((one) => {
    const [a, b] = [Buffer.from(one), Buffer.from(expected)];
    return a.length === b.length && timingSafeEqual(a, b);
  });
};

const receiver = createServer(async (request, response) => {
  const chunks = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) return response.writeHead(413).end();
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString();
    if (!isGenuine(request, body)) return response.writeHead(401).end();
    received(JSON.parse(body).data.contact.name);
    return response.writeHead(204).end();
  } catch {
    return response.destroy();
  }
});
receiver.listen(Number(env.PORT ?? 9000), env.HOST ?? '0.0.0.0');

const service = '{service="canary"}';
const labelled = (label, value) => `{${label}="${value}",service="canary"}`;
const metrics = () => [
  '# HELP roster_promise_lost_total Acknowledged changes of the canary that were not delivered to it in time.',
  '# TYPE roster_promise_lost_total counter',
  `roster_promise_lost_total${service} ${lost}`,
  '# HELP roster_canary_changes_total Changes of the canary, by outcome.',
  '# TYPE roster_canary_changes_total counter',
  ...Object.entries(changes).map(
    ([outcome, count]) => `roster_canary_changes_total${labelled('outcome', outcome)} ${count}`,
  ),
  '# HELP roster_canary_delivery_seconds Time from the request of a change of the canary to its webhook.',
  '# TYPE roster_canary_delivery_seconds histogram',
  ...bounds.map(
    (bound, at) =>
      `roster_canary_delivery_seconds_bucket${labelled('le', bound)} ${seconds.counts[at]}`,
  ),
  `roster_canary_delivery_seconds_bucket${labelled('le', '+Inf')} ${seconds.count}`,
  `roster_canary_delivery_seconds_sum${service} ${seconds.sum}`,
  `roster_canary_delivery_seconds_count${service} ${seconds.count}`,
];

const monitor = createServer((_, response) => {
  countLost();
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
  response.end(`${metrics().join('\n')}\n`);
});
monitor.listen(Number(env.ADMIN_PORT ?? 9090), env.HOST ?? '0.0.0.0');

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    stopping.abort();
    for (const server of [receiver, monitor]) {
      server.close();
      server.closeAllConnections();
    }
  });

for (let isReady = false, failed = ''; !stopping.signal.aborted;) {
  try {
    // Again after a loss: the webhook may have been disabled.
    if (!isReady) await ensureWebhook();
    isReady = true;
    await change();
    failed = '';
  } catch (error) {
    changes.refused += 1;
    isReady = false;
    if (failed !== error.message) console.error((failed = error.message));
  }
  const before = lost;
  countLost();
  if (lost > before) isReady = false;
  await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
}
