import { FailureLog, faultOf, type Call } from '@roster/bus';
import { encodeId, type FaultCode } from '@roster/contracts';
import { WorkLoop, type Log } from '@roster/process';
import type { Session, Statement } from '@roster/storage';
import { withSpan, type Span } from '@roster/telemetry';
import { setTimeout } from 'node:timers/promises';
import type { ContactsService } from '../service.js';
import { startSlice } from './job-trace.js';

/** A job whose row is locked by the transaction that applies its next slice. */
export interface ClaimedJob {
  workspace_id: string;
  id: string;
  /** Of the request that created it, as `traceText` writes it; null if that is not traced. */
  trace: string | null;
}

/** The trace that a slice continues. */
export type SliceTrace = Pick<Call, 'traceparent' | 'tracestate'>;

/** A kind of jobs of workspaces, which are done in slices. */
export interface JobKind<Claimed extends ClaimedJob = ClaimedJob> {
  /** The result of `claimStatement`. */
  claim: Statement;
  /**
   * The name and the ID of the job for the span of its next slice. Undefined if that may only find that it has to wait: it has no
   * span, because it is repeated until others are done.
   */
  describe(claimed: Claimed): { name: string; id: string } | undefined;
  /** Does the next slice and records the progress. Returns what is to be done after the commit. */
  advance(claimed: Claimed, inner: Session, trace: SliceTrace): Promise<() => void>;
  /** Lets other jobs be claimed first after a failure, or ends the job after `attemptsMax` of those that no retry is expected to end. */
  postpone(claimed: Claimed, failure: JobFailure, inner: Session): Promise<void>;
}

export interface JobFailure {
  /** 0 if a later attempt is expected to succeed, otherwise 1. */
  counts: 0 | 1;
  attemptsMax: number;
}

export interface JobRunnerOptions {
  log: Log;
  /** How often it looks for jobs that another process has left. The process that creates a job wakes its runner. */
  pollMs?: number;
}

/** Workspaces whose turns are remembered. */
const servedMax = 1000;
const attemptsMax = 5;
const transient: ReadonlySet<FaultCode> = new Set(['unavailable', 'timeout']);

/**
 * Does jobs in slices. A slice is one transaction: it locks its job, writes contacts and events, and records the progress. Whatever
 * is interrupted is therefore rolled back, and any process continues. Processes share the jobs; in each, workspaces take turns, and
 * kinds of jobs.
 */
export class JobRunner {
  readonly #service: ContactsService;
  readonly #kinds: JobKind[];
  readonly #loop: WorkLoop;
  #served: string[] = [];

  constructor(
    service: ContactsService,
    kinds: readonly JobKind<never>[],
    { log, pollMs = 5000 }: JobRunnerOptions,
  ) {
    this.#service = service;
    this.#kinds = [...(kinds as readonly JobKind[])];
    const failures = new FailureLog(log, 'failed to do a part of a job of a workspace');
    this.#loop = new WorkLoop({
      step: async () => ((await this.#step()) ? 0 : pollMs),
      pauseMs: pollMs,
      onFailure: (error) => failures.warn(error),
      sleep: service.jobs,
    });
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Returns whether a job was due. The kind that had a slice is the last to be asked the next time. */
  async #step(): Promise<boolean> {
    for (const kind of this.#kinds) {
      if (!(await this.#stepOf(kind))) continue;
      this.#kinds.push(...this.#kinds.splice(this.#kinds.indexOf(kind), 1));
      return true;
    }
    return false;
  }

  async #stepOf(kind: JobKind): Promise<boolean> {
    const startedAt = performance.now();
    let claimed: ClaimedJob | undefined;
    let span: Span | undefined;
    try {
      const then = await this.#service.database.transaction(async (inner) => {
        const [job] = await inner.query<ClaimedJob>(kind.claim, [this.#served]);
        claimed = job;
        if (!job) return undefined;
        this.#serve(job);
        span = startSlice(kind.describe(job), job.workspace_id, job.trace);
        const trace = span ? { traceparent: span.traceparent, tracestate: span.tracestate } : {};
        return withSpan(span, () => kind.advance(job, inner, trace));
      });
      then?.();
      span?.end();
    } catch (error) {
      span?.end(faultOf(error).code);
      if (claimed) await this.#postpone(kind, claimed, error);
      throw error;
    }
    if (!claimed) return false;
    await this.#pause(claimed, performance.now() - startedAt);
    return true;
  }

  #serve({ workspace_id: workspaceId }: ClaimedJob): void {
    const others = this.#served.filter((one) => one !== workspaceId);
    this.#served = [...others, workspaceId].slice(-servedMax);
  }

  /**
   * Between transactions, so that others get the locks and the time that the slice had. With `workShare` instead of half of the time, a
   * million rows would take ten minutes beside active workspaces, whose latency is hardly lower with a third (see test/bench).
   */
  async #pause({ workspace_id }: ClaimedJob, tookMs: number): Promise<void> {
    const workspaceId = encodeId('workspace', workspace_id);
    if (this.#service.bus.callers.isOtherActive(workspaceId, performance.now()))
      await setTimeout(tookMs);
  }

  async #postpone(kind: JobKind, claimed: ClaimedJob, error: unknown): Promise<void> {
    const counts = transient.has(faultOf(error).code) ? 0 : 1;
    await this.#service.database.transaction((inner) =>
      kind.postpone(claimed, { counts, attemptsMax }, inner),
    );
  }
}
