import { eventually } from '@roster/testing';
import test from 'ava';
import { hash } from 'node:crypto';
import { RateLimiter } from '../../../operations/rates/rate-limiter.js';
import { Usage } from '../../../operations/rates/usage.js';
import { problemIn } from '../../problem-document.js';
import { bearer, sharedGateway } from '../../test-gateway.js';

const shared = sharedGateway(test);
const midnight = Date.parse('2026-02-01T00:00:00Z');
const id = 'wksp_1';
const quota = { requestsPerDay: 10, day: '2026-01-31', requests: 0 };
const leftOf = (usage: Usage, now: number) => usage.quotaOf(id, now)?.remaining;

test('what is counted is subtracted from the quota of the day, which is whole again at midnight UTC', (t) => {
  const usage = new Usage();
  t.is(leftOf(usage, midnight - 2000), undefined);
  usage.count(id, 1, midnight - 2000);
  usage.limit(id, { ...quota, requests: 3 }, midnight - 2000);
  t.deepEqual(usage.quotaOf(id, midnight - 1500), {
    ...{ requestsPerDay: 10, remaining: 6, endsInSeconds: 2 },
  });
  usage.count(id, 8, midnight - 1);
  t.is(leftOf(usage, midnight - 1), 0);
  t.is(leftOf(usage, midnight), 10);
  // An answer from before midnight.
  usage.limit(id, { ...quota, requests: 10 }, midnight);
  t.is(leftOf(usage, midnight), 10);
});

test('what other gateways have reported is subtracted, and what is being reported is not forgotten', (t) => {
  const usage = new Usage();
  const now = midnight - 1000;
  usage.limit(id, quota, now);
  usage.count(id, 2, now);
  usage.report();
  // The answer does not say whether the report was stored before it.
  usage.limit(id, quota, now);
  t.is(leftOf(usage, now), 8);
  usage.limit(id, { ...quota, requests: 2 }, now);
  t.is(leftOf(usage, now), 8);
  usage.limit(id, { ...quota, requests: 7 }, now);
  t.is(leftOf(usage, now), 3);
});

test('a quota can be raised, lowered and removed', (t) => {
  const usage = new Usage();
  const now = midnight - 1000;
  usage.limit(id, quota, now);
  usage.count(id, 10, now);
  t.is(leftOf(usage, now), 0);
  usage.limit(id, { ...quota, requestsPerDay: 12 }, now);
  t.is(leftOf(usage, now), 2);
  usage.limit(id, { ...quota, requestsPerDay: 5 }, now);
  t.is(leftOf(usage, now), 0);
  usage.limit(id, undefined, now);
  t.is(leftOf(usage, now), undefined);
});

test('the rate limiter refuses what exceeds the quota, and counts nothing of it', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 100, workspacePerSecond: 100 });
  const day = new Date().toISOString().slice(0, 10);
  limiter.usage.limit(id, { requestsPerDay: 1, day, requests: 0 });
  const caller = { keyId: 'key_1', workspaceId: id, userId: 'usr_1', scopes: [] };
  t.like(limiter.take(caller).at(-1), { name: 'day', max: 1, windowSeconds: 86_400, remaining: 0 });
  t.throws(() => limiter.take(caller), { code: 'daily_quota_exceeded' });
  t.is(limiter.take({ ...caller, workspaceId: 'wksp_2' }).length, 2);
  t.deepEqual(
    limiter.usage.report()!.requests.map(({ requests }) => requests),
    [1, 1],
  );
});

test('beyond its quota, a workspace is answered 429 with the time until midnight by REST and GraphQL, until the quota is raised', async (t) => {
  const { url, stubs } = shared();
  const { apiKey, workspaceId, ...key } = stubs.makeKey();
  const neighbour = stubs.makeKey();
  let requestsPerDay = 2;
  stubs.answer('keys.verify', ({ input }) => {
    const { sha256 } = input as { sha256: string };
    if (sha256 === neighbourHash) return { ...neighbour, apiKey: undefined };
    const day = new Date().toISOString().slice(0, 10);
    return { ...key, workspaceId, quota: { requestsPerDay, day, requests: 0 } };
  });
  const neighbourHash = hash('sha256', neighbour.apiKey);
  const headers = { ...bearer(apiKey), 'content-type': 'application/json' };
  const rest = () => fetch(`${url}/v1/contacts`, { headers });
  const graphql = () =>
    fetch(`${url}/graphql`, { method: 'POST', headers, body: '{"query":"{ me { id } }"}' });
  const first = await rest();
  t.is(first.status, 200);
  t.regex(first.headers.get('ratelimit-policy')!, /, "day";q=2;w=86400$/);
  t.regex(first.headers.get('ratelimit')!, /, "day";r=1;t=\d+$/);
  t.is((await graphql()).status, 200);
  const refused = await rest();
  t.is(refused.status, 429);
  const seconds = Number(refused.headers.get('retry-after'));
  t.true(seconds > 0 && seconds <= 86_400);
  t.regex(refused.headers.get('ratelimit')!, /, "day";r=0;t=\d+$/);
  t.like(await problemIn(refused), { code: 'daily_quota_exceeded', retryAfterSeconds: seconds });
  const answer = await graphql();
  t.is(answer.status, 429);
  t.regex(await answer.text(), /daily_quota_exceeded/);
  const other = await fetch(`${url}/v1/contacts`, { headers: bearer(neighbour.apiKey) });
  t.is(other.status, 200);
  t.notRegex(other.headers.get('ratelimit-policy')!, /day/);
  requestsPerDay = 4;
  stubs.bus.broadcast('workspaces.changed', { workspaceId });
  await eventually(async () => (await rest()).status === 200);
});
