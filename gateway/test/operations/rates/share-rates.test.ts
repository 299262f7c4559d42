import { eventually } from '@roster/testing';
import test from 'ava';
import { bearer, gatewayFor } from '../../test-gateway.js';
import {
  RateLimiter,
  type RateReport,
  shareRates,
} from '../../../operations/rates/rate-limiter.js';

/** Reports what it is given, and records what it is to count. */
class RecordingLimiter extends RateLimiter {
  readonly counted: string[] = [];
  #next: RateReport | undefined;

  set next(report: RateReport) {
    this.#next = report;
    this.onUnreported();
  }

  constructor() {
    super({ keyPerSecond: 0, workspacePerSecond: 0 });
  }

  override report(): RateReport | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  override count({ keys }: RateReport): void {
    this.counted.push(...keys.map(([id]) => id));
  }
}

test('a gateway counts the reports of the others, and not its own', async (t) => {
  const { stubs } = await gatewayFor(t);
  const [first, second] = [new RecordingLimiter(), new RecordingLimiter()];
  for (const limiter of [first, second]) t.teardown(shareRates(limiter, stubs.bus));
  await stubs.bus.link.nats.flush();
  first.next = { keys: [['first', 1]], workspaces: [] };
  await eventually(() => second.counted.length > 0);
  second.next = { keys: [['second', 1]], workspaces: [] };
  await eventually(() => first.counted.includes('second'));
  t.deepEqual(first.counted, ['second']);
  t.deepEqual(second.counted, ['first']);
});

test('reports the requests of a key and of its workspace', async (t) => {
  const { url, stubs } = await gatewayFor(t, {
    RATE_LIMIT_PER_SECOND: 64,
    RATE_LIMIT_WORKSPACE_PER_SECOND: 64,
  });
  const { apiKey, keyId, workspaceId } = stubs.makeKey();
  const reported = new Map<string, number>();
  const stop = stubs.bus.listen('rates.used', ({ keys, workspaces }) => {
    for (const [id, requests] of [...keys, ...workspaces])
      reported.set(id, (reported.get(id) ?? 0) + requests);
  });
  t.teardown(stop);
  await stubs.bus.link.nats.flush();
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { status } = await fetch(`${url}/v1/contacts`, { headers: bearer(apiKey) });
      return status;
    }),
  );
  t.deepEqual(new Set(statuses), new Set([200]));
  await eventually(() => reported.get(keyId) === 10 && reported.get(workspaceId) === 10);
});

for (const used of ['keys', 'workspaces'] as const) {
  test(`answers 429 when other gateways have used the limit: ${used}`, async (t) => {
    const { url, stubs } = await gatewayFor(t);
    const { apiKey, keyId, workspaceId } = stubs.makeKey();
    const get = (key: string) => fetch(`${url}/v1/contacts`, { headers: bearer(key) });
    const report = { gateway: 'another', keys: [], workspaces: [] };
    const id = used === 'keys' ? keyId : workspaceId;
    let refused!: Response;
    await eventually(async () => {
      stubs.bus.broadcast('rates.used', { ...report, [used]: [[id, 1_000_000]] });
      refused = await get(apiKey);
      return refused.status === 429;
    });
    t.is(refused.headers.get('retry-after'), '1');
    const name = used === 'keys' ? 'key' : 'workspace';
    t.true(refused.headers.get('ratelimit')!.includes(`"${name}";r=0;t=1`));
    t.is(refused.headers.get('ratelimit-policy'), '"key";q=30000;w=1, "workspace";q=60000;w=1');
    t.is((await get(stubs.makeKey().apiKey)).status, 200);
    await eventually(async () => (await get(apiKey)).status === 200);
  });
}
