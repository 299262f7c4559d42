import { FailureLog, steadyNow, type Bus } from '@roster/bus';
import {
  systemCaller,
  usageLimits,
  type CallInputOf,
  type Operations,
  type RequestQuota,
} from '@roster/contracts';
import type { Log } from '@roster/process';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';

/** Workspaces and days that wait for a report. Requests of further workspaces are not counted. */
const waitingMax = 100_000;
/** Workspaces with a quota. An evicted one has none until a key of it is verified again. */
const quotasMax = 10_000;

const dayMs = 86_400_000;

export type UsageReport = Omit<CallInputOf<Operations['usage.report']>, 'gateway'>;

interface Count {
  requests: number;
}

/** The quota of a workspace for the current day. */
interface DayQuota {
  requestsPerDay: number;
  /** Negative if gateways together allowed more. */
  left: number;
}

/**
 * Requests of workspaces by day (UTC), until the users service has added them to what it stores; and the quotas of workspaces that
 * have one. What other gateways allowed is subtracted when they have reported it, and a key of the workspace is verified again.
 */
export class Usage {
  /** Called when there is something to report. */
  onCounted: () => void = () => {};
  #endsAt = -Infinity;
  #today = new Map<string, Count>();
  /** What is not part of a report yet, oldest first. */
  readonly #days: { day: string; counts: Map<string, Count> }[] = [];
  #sequence = 0;
  #report: UsageReport | undefined;
  readonly #quotas = new LRUCache<string, DayQuota>({ max: quotasMax });

  /** @param now milliseconds since the epoch */
  count(workspaceId: string, requests: number, now = Date.now()): void {
    if (now >= this.#endsAt) this.#begin(now);
    const count = this.#today.get(workspaceId);
    if (count) count.requests += requests;
    else this.#add(workspaceId, requests);
    if (this.#quotas.size === 0) return;
    const quota = this.#quotas.get(workspaceId);
    if (quota) quota.left -= requests;
  }

  /**
   * Notes the quota of a workspace, as of the verification of a key.
   *
   * @param quota undefined if it has none
   * @param now milliseconds since the epoch
   */
  limit(workspaceId: string, quota: RequestQuota | undefined, now = Date.now()): void {
    if (!quota) {
      this.#quotas.delete(workspaceId);
      return;
    }
    if (now >= this.#endsAt) this.#begin(now);
    const { requestsPerDay } = quota;
    const { day, counts } = this.#days.at(-1)!;
    const stored = quota.day === day ? quota.requests : 0;
    const left = requestsPerDay - stored - (counts.get(workspaceId)?.requests ?? 0);
    const known = this.#quotas.get(workspaceId);
    // What is being reported may be stored or not: only this process knows that it is used.
    const own = known ? known.left + requestsPerDay - known.requestsPerDay : Infinity;
    this.#quotas.set(workspaceId, { requestsPerDay, left: Math.min(left, own) });
  }

  /**
   * How much of its quota a workspace has left today. Undefined if it has none.
   *
   * @param now milliseconds since the epoch
   */
  quotaOf(
    workspaceId: string,
    now = Date.now(),
  ): { requestsPerDay: number; remaining: number; endsInSeconds: number } | undefined {
    if (this.#quotas.size === 0) return undefined;
    if (now >= this.#endsAt) this.#begin(now);
    const quota = this.#quotas.get(workspaceId);
    if (!quota) return undefined;
    return {
      requestsPerDay: quota.requestsPerDay,
      remaining: Math.max(0, quota.left),
      endsInSeconds: Math.ceil((this.#endsAt - now) / 1000),
    };
  }

  /** The report to be sent: the same one until `reported` is called. Undefined if there is nothing to report. */
  report(): UsageReport | undefined {
    return (this.#report ??= this.#next());
  }

  reported(): void {
    this.#report = undefined;
  }

  #begin(now: number): void {
    const startsAt = Math.floor(now / dayMs) * dayMs;
    this.#endsAt = startsAt + dayMs;
    this.#today = new Map();
    const day = new Date(startsAt).toISOString().slice(0, '2026-01-31'.length);
    this.#days.push({ day, counts: this.#today });
    for (const quota of this.#quotas.values()) quota.left = quota.requestsPerDay;
  }

  #add(workspaceId: string, requests: number): void {
    const waiting = this.#days.reduce((sum, { counts }) => sum + counts.size, 0);
    if (requests === 0 || waiting >= waitingMax) return;
    this.#today.set(workspaceId, { requests });
    this.onCounted();
  }

  #next(): UsageReport | undefined {
    while (this.#days.length > 1 && this.#days[0]!.counts.size === 0) this.#days.shift();
    const [oldest] = this.#days;
    if (!oldest || oldest.counts.size === 0) return undefined;
    const requests: UsageReport['requests'] = [];
    for (const [workspaceId, count] of oldest.counts) {
      if (requests.length === usageLimits.reported) break;
      requests.push({ workspaceId, requests: count.requests });
      oldest.counts.delete(workspaceId);
    }
    this.#sequence += 1;
    return { sequence: this.#sequence, day: oldest.day, requests };
  }
}

const reportEveryMs = 5000;
/** Until then the users service must have answered. */
const callMs = 2000;

/**
 * Reports usage to the users service every 5 seconds while there is any. A report that is not answered is repeated until it is: the
 * service adds it once. A process that is killed loses what it has not reported.
 *
 * @returns the function that ends it, after a last report
 */
export function reportUsage(usage: Usage, bus: Bus, log: Log): () => Promise<void> {
  const gateway = randomUUID();
  const failures = new FailureLog(log, 'failed to report the usage of workspaces');
  let timer: NodeJS.Timeout | undefined;
  let reporting = Promise.resolve();
  // An idle gateway does not wake up.
  const wait = () => {
    timer ??= setTimeout(begin, reportEveryMs).unref();
  };
  function begin() {
    reporting = reporting.then(sendAll);
  }
  async function sendAll(): Promise<void> {
    timer = undefined;
    try {
      for (let report = usage.report(); report; report = usage.report()) {
        const context = {
          ...{ caller: systemCaller, requestId: randomUUID() },
          deadline: steadyNow() + callMs,
        };
        await bus.call('usage.report', { gateway, ...report }, context);
        usage.reported();
      }
    } catch (error) {
      failures.warn(error);
      usage.onCounted();
    }
  }
  usage.onCounted = wait;
  return () => {
    usage.onCounted = () => {};
    clearTimeout(timer);
    begin();
    return reporting;
  };
}
