import { FailureLog, steadyNow, type Bus } from '@roster/bus';
import { systemCaller, usageLimits, type CallInputOf, type Operations } from '@roster/contracts';
import type { Log } from '@roster/process';
import { randomUUID } from 'node:crypto';

/** Workspaces and days that wait for a report. Requests of further workspaces are not counted. */
const waitingMax = 100_000;

const dayMs = 86_400_000;

export type UsageReport = Omit<CallInputOf<Operations['usage.report']>, 'gateway'>;

interface Count {
  requests: number;
}

/** Requests of workspaces by day (UTC), until the users service has added them to what it stores. */
export class Usage {
  /** Called when there is something to report. */
  onCounted: () => void = () => {};
  #endsAt = -Infinity;
  #today = new Map<string, Count>();
  /** What is not part of a report yet, oldest first. */
  readonly #days: { day: string; counts: Map<string, Count> }[] = [];
  #sequence = 0;
  #report: UsageReport | undefined;

  /** @param now milliseconds since the epoch */
  count(workspaceId: string, requests: number, now = Date.now()): void {
    if (now >= this.#endsAt) this.#begin(now);
    const count = this.#today.get(workspaceId);
    if (count) count.requests += requests;
    else this.#add(workspaceId, requests);
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
