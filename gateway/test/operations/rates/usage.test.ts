import { Fault, usageLimits, type InputOf, type Operations } from '@roster/contracts';
import { openLog } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { RateLimiter } from '../../../operations/rates/rate-limiter.js';
import { reportUsage, Usage } from '../../../operations/rates/usage.js';
import { bearer, gatewayFor } from '../../test-gateway.js';

type Report = InputOf<Operations['usage.report']>;

const log = openLog('gateway', 'silent');
const midnight = Date.parse('2026-02-01T00:00:00Z');

test('counts requests by workspace and by day in UTC', (t) => {
  const usage = new Usage();
  usage.count('wksp_1', 1, midnight - 2);
  usage.count('wksp_2', 10, midnight - 1);
  usage.count('wksp_1', 1, midnight - 1);
  usage.count('wksp_1', 5, midnight);
  t.deepEqual(usage.report(), {
    sequence: 1,
    day: '2026-01-31',
    requests: [
      { workspaceId: 'wksp_1', requests: 2 },
      { workspaceId: 'wksp_2', requests: 10 },
    ],
  });
  usage.reported();
  t.deepEqual(usage.report(), {
    sequence: 2,
    day: '2026-02-01',
    requests: [{ workspaceId: 'wksp_1', requests: 5 }],
  });
  usage.reported();
  t.is(usage.report(), undefined);
});

test('a report that was not answered stays as it is, and what is counted meanwhile is in the next one', (t) => {
  const usage = new Usage();
  usage.count('wksp_1', 1, midnight);
  const first = structuredClone(usage.report());
  usage.count('wksp_1', 2, midnight);
  t.deepEqual(usage.report(), first);
  usage.reported();
  t.like(usage.report(), { sequence: 2, requests: [{ requests: 2 }] });
});

test('reports are bounded, and so is what waits for them', (t) => {
  const usage = new Usage();
  for (let n = 0; n < 100_001; n += 1) usage.count(`wksp_${n}`, 1, midnight);
  let total = 0;
  for (let report = usage.report(); report; report = usage.report()) {
    t.true(report.requests.length <= usageLimits.reported);
    total += report.requests.length;
    usage.reported();
  }
  t.is(total, 100_000);
});

test('what rate limits refuse is not counted, and what is charged is', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 1, workspacePerSecond: 0 });
  const caller = { keyId: 'key_1', workspaceId: 'wksp_1', userId: 'usr_1', scopes: [] };
  limiter.take(caller, 0);
  limiter.charge(caller, 99, 0);
  t.throws(() => limiter.take(caller, 0));
  t.like(limiter.usage.report(), { requests: [{ workspaceId: 'wksp_1', requests: 100 }] });
});

test('a report that fails is repeated with the same sequence, and the last one is sent when the gateway stops', async (t) => {
  const { stubs } = await gatewayFor(t);
  const { workspaceId } = stubs.makeKey();
  const received: Report[] = [];
  stubs.answer('usage.report', ({ input }) => {
    received.push(input as Report);
    return received.length === 1 ? new Fault('unavailable', 'Away.') : { added: true as const };
  });
  const usage = new Usage();
  const stop = reportUsage(usage, stubs.bus, log);
  usage.count(workspaceId, 3);
  await eventually(() => received.length === 2, { timeoutMs: 60_000 });
  t.deepEqual(received[1], received[0]);
  usage.count(workspaceId, 4);
  await stop();
  t.is(received.length, 3);
  t.like(received[2], { sequence: 2, requests: [{ requests: 4 }] });
  t.is(received[2]!.gateway, received[0]!.gateway);
});

test('a gateway that stops reports the requests of all interfaces', async (t) => {
  const gateway = await gatewayFor(t);
  const { url, stubs } = gateway;
  const { apiKey, workspaceId } = stubs.makeKey();
  const reported: Report[] = [];
  stubs.answer('usage.report', ({ input }) => {
    reported.push(input as Report);
    return { added: true as const };
  });
  const headers = { ...bearer(apiKey), 'content-type': 'application/json' };
  await fetch(`${url}/v1/contacts`, { headers });
  await fetch(`${url}/v1/contacts`, { headers: bearer('rsk_invalid') });
  await fetch(`${url}/graphql`, { method: 'POST', headers, body: '{"query":"{ me { id } }"}' });
  await gateway.close();
  const own = reported.flatMap(({ requests }) =>
    requests.filter((one) => one.workspaceId === workspaceId),
  );
  t.is(
    own.reduce((sum, { requests }) => sum + requests, 0),
    2,
  );
});
