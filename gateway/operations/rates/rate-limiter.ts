import { type Broadcasts, type Caller, Fault } from '@roster/contracts';
import { Quota } from './quota.js';
import { Usage } from './usage.js';
import type { TokenBucket } from './token-bucket.js';
import type { Bus } from '@roster/bus';
import { randomUUID } from 'node:crypto';

/** State of a rate limit after a request. */
export interface RateState {
  /** Name of the policy. */
  name: string;
  /** Requests of a window. */
  max: number;
  windowSeconds: number;
  remaining: number;
  /** Until further requests are allowed. */
  retryAfterSeconds: number;
}

/** The API key or its workspace has exceeded its rate limit, or the workspace its quota of the day. */
export class RateLimited extends Fault {
  /** All limits of the caller. */
  readonly states: readonly RateState[];

  constructor(exceeded: RateState, states: readonly RateState[]) {
    const { name, retryAfterSeconds } = exceeded;
    const code = name === dayPolicy ? 'daily_quota_exceeded' : 'rate_limited';
    super(code, messageOf(exceeded), { retryAfterSeconds });
    this.states = states;
  }
}

const dayPolicy = 'day';
const daySeconds = 86_400;

function messageOf({ name, max }: RateState): string {
  if (name === dayPolicy)
    return `The workspace has used its quota of ${max} requests per day. It has them again at midnight UTC.`;
  const owner = name === 'key' ? 'API key' : 'workspace';
  return `The ${owner} has exceeded its limit of ${max} requests per second.`;
}

/** Requests per second; 0 sets no limit. */
export interface RateLimits {
  keyPerSecond: number;
  workspacePerSecond: number;
}

/** What a gateway has used of the quotas since its last report. */
export type RateReport = Omit<Broadcasts['rates.used'], 'gateway'>;

/**
 * Token buckets per key and per workspace. Each gateway has its own buckets, and also takes from them what other gateways report,
 * so that a limit applies to all gateways together. Between two reports, gateways may allow more than the limit; the excess is
 * subtracted from what they allow next.
 */
export class RateLimiter {
  readonly #key: Quota | undefined;
  readonly #workspace: Quota | undefined;
  /** Called when there is use to report. */
  onUnreported: () => void = () => {};
  /** What it has counted and allowed, by day. */
  readonly usage = new Usage();

  constructor({ keyPerSecond, workspacePerSecond }: RateLimits) {
    const quota = (name: string, perSecond: number) =>
      perSecond > 0 ? new Quota(name, perSecond, () => this.onUnreported()) : undefined;
    this.#key = quota('key', keyPerSecond);
    this.#workspace = quota('workspace', workspacePerSecond);
  }

  /**
   * Counts a request, unless it is refused.
   *
   * @returns the limits of the caller, empty if there are none
   *
   * @throws RateLimited
   */
  take({ keyId, workspaceId }: Caller, now = performance.now()): RateState[] {
    const key = this.#key?.bucketOf(keyId, now);
    const workspace = this.#workspace?.bucketOf(workspaceId, now);
    const keyAllows = key?.refill(now) ?? true;
    const workspaceAllows = workspace?.refill(now) ?? true;
    const day = dayOf(this.usage, workspaceId);
    const dayAllows = day === undefined || day.remaining > 0;
    if (keyAllows && workspaceAllows && dayAllows) {
      key?.take();
      workspace?.take();
      if (key) this.#key!.taken(keyId, key, 1);
      if (workspace) this.#workspace!.taken(workspaceId, workspace, 1);
      this.usage.count(workspaceId, 1);
      if (day) day.remaining -= 1;
    }
    const states = statesOf(key, workspace);
    if (day) states.push(day);
    if (!keyAllows) throw new RateLimited(states[0]!, states);
    if (!workspaceAllows) throw new RateLimited(states[key ? 1 : 0]!, states);
    if (!dayAllows) throw new RateLimited(day, states);
    return states;
  }

  /**
   * Counts a request that was allowed as this number of further ones. If fewer are left, the next requests are refused.
   *
   * @returns the limits of the caller, empty if there are none
   */
  charge({ keyId, workspaceId }: Caller, requests: number, now = performance.now()): RateState[] {
    this.usage.count(workspaceId, requests);
    const states = statesOf(
      this.#key?.charge(keyId, requests, now),
      this.#workspace?.charge(workspaceId, requests, now),
    );
    const day = dayOf(this.usage, workspaceId);
    if (day) states.push(day);
    return states;
  }

  /** Undefined if there is nothing to report. */
  report(): RateReport | undefined {
    const keys = this.#key?.report() ?? [];
    const workspaces = this.#workspace?.report() ?? [];
    return keys.length + workspaces.length > 0 ? { keys, workspaces } : undefined;
  }

  /** Counts the report of another gateway. */
  count({ keys, workspaces }: RateReport, now = performance.now()): void {
    this.#key?.count(keys, now);
    this.#workspace?.count(workspaces, now);
  }
}

function statesOf(key: TokenBucket | undefined, workspace: TokenBucket | undefined): RateState[] {
  const states: RateState[] = [];
  if (key) states.push({ name: 'key', max: key.max, windowSeconds: 1, ...key.state() });
  if (workspace)
    states.push({ name: 'workspace', max: workspace.max, windowSeconds: 1, ...workspace.state() });
  return states;
}

function dayOf(usage: Usage, workspaceId: string): RateState | undefined {
  const quota = usage.quotaOf(workspaceId);
  if (!quota) return undefined;
  const { requestsPerDay: max, remaining, endsInSeconds: retryAfterSeconds } = quota;
  return { name: dayPolicy, max, windowSeconds: daySeconds, remaining, retryAfterSeconds };
}

const reportMs = 100;

/**
 * Reports the use of the rate limits to all other gateways, and counts theirs. While NATS is disconnected, and for the time that
 * a gateway is paused, each gateway applies the limits on its own.
 *
 * @returns the function that ends it
 */
export function shareRates(limiter: RateLimiter, bus: Bus): () => void {
  const gateway = randomUUID();
  const stopListening = bus.listen('rates.used', ({ gateway: reporter, ...report }) => {
    if (reporter !== gateway) limiter.count(report);
  });
  let timer: NodeJS.Timeout | undefined;
  // An idle gateway does not wake up.
  limiter.onUnreported = () => {
    timer ??= setTimeout(report, reportMs).unref();
  };
  function report() {
    timer = undefined;
    const used = limiter.report();
    if (!used) return;
    bus.broadcast('rates.used', { gateway, ...used });
    // A report has a maximum size, and may have left some.
    limiter.onUnreported();
  }
  return () => {
    limiter.onUnreported = () => {};
    clearTimeout(timer);
    stopListening();
  };
}
