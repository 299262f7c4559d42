import { encodeId, type Caller } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import {
  RateLimited,
  RateLimiter,
  type RateLimits,
  type RateReport,
} from '../../../operations/rates/rate-limiter.js';

const newCaller = (workspaceId = encodeId('workspace', randomUUID())): Caller => ({
  workspaceId,
  userId: encodeId('user', randomUUID()),
  keyId: encodeId('key', randomUUID()),
  scopes: ['user'],
});

/** Sends requests at one time until one is refused, `max` at most. */
function takeAll(limiter: RateLimiter, caller: Caller, now: number, max = 10_000): number {
  for (let taken = 0; taken < max; taken += 1) {
    try {
      limiter.take(caller, now);
    } catch (error) {
      if (error instanceof RateLimited) return taken;
      throw error;
    }
  }
  return max;
}

/** Gateways that exchange their reports every 100 ms. A report arrives at once, unless the gateway is paused. */
class Gateways {
  readonly limits: RateLimits;
  readonly limiters: RateLimiter[];
  readonly #paused = new Set<RateLimiter>();
  readonly #late = new Map<RateLimiter, RateReport[]>();
  now = 0;

  constructor(limits: RateLimits, count: number) {
    this.limits = limits;
    this.limiters = Array.from({ length: count }, () => new RateLimiter(limits));
  }

  pause(limiter: RateLimiter): void {
    this.#paused.add(limiter);
  }

  resume(limiter: RateLimiter): void {
    this.#paused.delete(limiter);
    for (const report of this.#late.get(limiter) ?? []) limiter.count(report, this.now);
    this.#late.delete(limiter);
  }

  /** All gateways that are not paused get as many requests of the caller as they allow. Returns how many they allowed. */
  saturate(caller: Caller, seconds: number): number {
    let taken = 0;
    for (const end = this.now + seconds * 1000; this.now < end;) {
      for (const limiter of this.limiters)
        if (!this.#paused.has(limiter)) taken += takeAll(limiter, caller, this.now);
      this.now += 10;
      if (this.now % 100 === 0) this.#exchange();
    }
    return taken;
  }

  #exchange(): void {
    for (const limiter of this.limiters) {
      const report = this.#paused.has(limiter) ? undefined : limiter.report();
      if (!report) continue;
      for (const other of this.limiters) {
        if (other === limiter) continue;
        if (!this.#paused.has(other)) other.count(report, this.now);
        else this.#late.set(other, [...(this.#late.get(other) ?? []), report]);
      }
    }
  }
}

test('a key has the requests of one second at once, and is refilled continuously', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 100, workspacePerSecond: 0 });
  const caller = newCaller();
  t.is(takeAll(limiter, caller, 0), 100);
  t.is(takeAll(limiter, caller, 500), 50);
  t.is(takeAll(limiter, caller, 60_000), 100);
  t.is(takeAll(limiter, newCaller(caller.workspaceId), 60_000), 100);
});

test('all keys of a workspace share its limit, and a refused request counts against neither', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 100, workspacePerSecond: 150 });
  const [first, other] = [newCaller(), newCaller()];
  const second = newCaller(first.workspaceId);
  t.is(takeAll(limiter, first, 0), 100);
  t.is(takeAll(limiter, second, 0), 50);
  t.is(takeAll(limiter, other, 0), 100);
  const error = t.throws(() => limiter.take(second, 0), { instanceOf: RateLimited });
  t.is(error.message, 'The workspace has exceeded its limit of 150 requests per second.');
  t.deepEqual(error.states, [
    { name: 'key', max: 100, windowSeconds: 1, remaining: 50, retryAfterSeconds: 1 },
    { name: 'workspace', max: 150, windowSeconds: 1, remaining: 0, retryAfterSeconds: 1 },
  ]);
});

test('a call that counts as several requests takes them even if fewer are left, and the next ones are refused for longer', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 100, workspacePerSecond: 1000 });
  const caller = newCaller();
  limiter.take(caller, 0);
  limiter.charge(caller, 149, 0);
  t.throws(() => limiter.take(caller, 400), { instanceOf: RateLimited });
  t.is(takeAll(limiter, caller, 1000), 50);
  limiter.charge(caller, 0, 1000);
  t.deepEqual(limiter.report(), {
    keys: [[caller.keyId, 200]],
    workspaces: [[caller.workspaceId, 200]],
  });
});

test('without limits nothing is counted or reported', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 0, workspacePerSecond: 0 });
  t.deepEqual(limiter.take(newCaller()), []);
  t.is(limiter.report(), undefined);
});

for (const count of [2, 4, 8]) {
  test(`${count} gateways together allow a key its limit after one second`, (t) => {
    const gateways = new Gateways({ keyPerSecond: 1000, workspacePerSecond: 0 }, count);
    const caller = newCaller();
    // Every gateway has a full bucket, and learns of the others after 100 ms.
    t.true(gateways.saturate(caller, 1) <= count * 1100);
    const taken = gateways.saturate(caller, 10);
    t.true(taken >= 9000 && taken <= 11_000, String(taken));
  });
}

test('the keys of a workspace share its limit on all gateways', (t) => {
  const gateways = new Gateways({ keyPerSecond: 0, workspacePerSecond: 1000 }, 2);
  const caller = newCaller();
  gateways.saturate(caller, 2);
  const second = newCaller(caller.workspaceId);
  const taken = gateways.saturate(caller, 5) + gateways.saturate(second, 5);
  t.true(taken >= 9000 && taken <= 11_000, String(taken));
});

test('a gateway that joins knows what the others report within 100 ms', (t) => {
  const gateways = new Gateways({ keyPerSecond: 1000, workspacePerSecond: 0 }, 2);
  const caller = newCaller();
  gateways.saturate(caller, 3);
  gateways.limiters.push(new RateLimiter(gateways.limits));
  t.true(gateways.saturate(caller, 1) <= 2100);
  const taken = gateways.saturate(caller, 10);
  t.true(taken >= 9000 && taken <= 11_000, String(taken));
});

test('what a dead gateway allowed is free again after a second', (t) => {
  const gateways = new Gateways({ keyPerSecond: 1000, workspacePerSecond: 0 }, 2);
  const caller = newCaller();
  gateways.saturate(caller, 3);
  gateways.limiters.pop();
  gateways.saturate(caller, 1);
  t.is(gateways.saturate(caller, 5), 5000);
});

test('a gateway that was paused for a minute is right again within a second', (t) => {
  const gateways = new Gateways({ keyPerSecond: 1000, workspacePerSecond: 0 }, 2);
  const caller = newCaller();
  const [, paused] = gateways.limiters;
  gateways.saturate(caller, 3);
  gateways.pause(paused!);
  const meanwhile = gateways.saturate(caller, 60);
  t.true(meanwhile >= 59_000 && meanwhile <= 60_000, String(meanwhile));
  gateways.resume(paused!);
  const first = gateways.saturate(caller, 1);
  t.true(first <= 2000, String(first));
  const taken = gateways.saturate(caller, 10);
  t.true(taken >= 9000 && taken <= 11_000, String(taken));
});

test('says after how many seconds further requests are allowed', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 2, workspacePerSecond: 0 });
  const caller = newCaller();
  limiter.count({ keys: [[caller.keyId, 1000]], workspaces: [] }, 0);
  const error = t.throws(() => limiter.take(caller, 0), { instanceOf: RateLimited });
  t.is(error.details.retryAfterSeconds, 2);
  t.throws(() => limiter.take(caller, 1400), { instanceOf: RateLimited });
  t.notThrows(() => limiter.take(caller, 2000));
});

test('a report has at most 500 keys, and the following ones have the rest', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 1, workspacePerSecond: 0 });
  const callers = Array.from({ length: 1200 }, () => newCaller());
  for (const caller of callers) limiter.take(caller, 0);
  const reports = [limiter.report()!, limiter.report()!, limiter.report()!];
  t.deepEqual(
    reports.map(({ keys }) => keys.length),
    [500, 500, 200],
  );
  const reported = reports.flatMap(({ keys }) => keys);
  t.deepEqual(
    reported,
    callers.map(({ keyId }) => [keyId, 1]),
  );
  t.is(limiter.report(), undefined);
});

test('a small use is reported with the next one', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 640, workspacePerSecond: 0 });
  const caller = newCaller();
  takeAll(limiter, caller, 0, 9);
  t.is(limiter.report(), undefined);
  takeAll(limiter, caller, 0, 2);
  t.deepEqual(limiter.report()?.keys, [[caller.keyId, 11]]);
});

test('entries of a report without a valid number of requests change no limit', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 100, workspacePerSecond: 0 });
  const caller = newCaller();
  t.is(takeAll(limiter, caller, 0), 100);
  for (const requests of [-1000, Number.NaN, Infinity, 0.5, null, '7'] as number[])
    limiter.count({ keys: [[caller.keyId, requests]], workspaces: [] }, 0);
  t.is(takeAll(limiter, caller, 0), 0);
  t.is(takeAll(limiter, caller, 1000), 100);
});

test('entries of a report that are longer than an ID are ignored', (t) => {
  const limiter = new RateLimiter({ keyPerSecond: 100, workspacePerSecond: 0 });
  const caller = { ...newCaller(), keyId: 'x'.repeat(65) };
  limiter.count({ keys: [[caller.keyId, 100]], workspaces: [] }, 0);
  t.is(takeAll(limiter, caller, 0), 100);
});
