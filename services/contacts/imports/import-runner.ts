import { FailureLog, faultOf } from '@roster/bus';
import { encodeId, type FaultCode, importLimits, systemCaller, timeOfId } from '@roster/contracts';
import { WorkLoop, type Log } from '@roster/process';
import type { Session } from '@roster/storage';
import { setTimeout } from 'node:timers/promises';
import { batchWriters, type BatchWriters } from '../writing/batch-writers.js';
import type { ContactsService } from '../service.js';
import { announceImports } from './announce-imports.js';
import { applySlice, type Counts, type SliceOutcome } from './apply-slice.js';
import { rolledBack } from './rolled-back.js';
import { advanceImport, claimImport, postponeImport, type ClaimedImport } from './import-table.js';
import { ImportChunks, type StoredRow } from './import-chunks.js';
import type { ImportRecord } from './import-shape.js';

export interface ImportRunnerOptions {
  log: Log;
  onApplied?: (counts: Counts) => void;
  /** How often it looks for imports that another process has left. The process that ends an upload wakes its runner. */
  pollMs?: number;
}

/**
 * Rows of one transaction, which other creations of the workspace wait for. It is long, because claiming an import, its locks, its
 * progress and the commit cost as much as writing 50 rows.
 */
const rowsMax = 250;
/** Workspaces whose turns are remembered. */
const servedMax = 1000;
const attemptsMax = 5;
const transient: ReadonlySet<FaultCode> = new Set(['unavailable', 'timeout']);

/**
 * Applies the rows of imports in slices. A slice is one transaction: it locks its import, writes contacts and events, and records the
 * progress. Whatever is interrupted is therefore rolled back, and any process continues. Processes share the imports; in each,
 * workspaces take turns.
 */
export class ImportRunner {
  readonly #service: ContactsService;
  readonly #options: ImportRunnerOptions;
  /** By whether changes are announced one by one. */
  readonly #writers: Record<'announcing' | 'quiet', BatchWriters>;
  readonly #chunks = new ImportChunks();
  readonly #loop: WorkLoop;
  #served: string[] = [];

  constructor(service: ContactsService, options: ImportRunnerOptions) {
    this.#service = service;
    this.#options = options;
    this.#writers = {
      announcing: batchWriters(service),
      quiet: batchWriters(service, { isQuiet: true }),
    };
    const failures = new FailureLog(options.log, 'failed to apply rows of an import');
    const { pollMs = 5000 } = options;
    this.#loop = new WorkLoop({
      step: async () => ((await this.#step()) ? 0 : pollMs),
      pauseMs: pollMs,
      onFailure: (error) => failures.warn(error),
      sleep: service.imports,
    });
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Returns whether an import was due. */
  async #step(): Promise<boolean> {
    const startedAt = performance.now();
    let claimed: ClaimedImport | undefined;
    try {
      const counts = await this.#service.database.transaction(async (inner) => {
        [claimed] = await inner.query<ClaimedImport>(claimImport, [this.#served]);
        return claimed && this.#advance(claimed, inner);
      });
      if (counts) this.#options.onApplied?.(counts);
    } catch (error) {
      if (claimed) await this.#postpone(claimed, error);
      throw error;
    }
    if (!claimed) return false;
    await this.#pause(claimed, performance.now() - startedAt);
    return true;
  }

  async #advance(claimed: ClaimedImport, inner: Session): Promise<Counts> {
    const { workspace_id: workspaceId, id, chunk, position } = claimed;
    this.#served = [...this.#served.filter((one) => one !== workspaceId), workspaceId].slice(
      -servedMax,
    );
    const all = await this.#chunks.read(claimed, inner);
    const rows = all.slice(position, position + rowsMax);
    const outcome = await this.#apply(claimed, rows, inner);
    // Not before the times of the slice if the clock was set back meanwhile.
    const writtenMs = timeOfId(this.#service.ids.next());
    const isLast = position + rows.length >= all.length;
    const { created, updated, skipped, failed } = outcome.counts;
    const advanced = await inner.query<ImportRecord>(advanceImport, [
      ...[workspaceId, id, created, updated, skipped, failed],
      ...(isLast ? [chunk + 1, 0, true] : [chunk, position + rows.length, false]),
      importLimits.errors,
      outcome.errors.map(({ row }) => row),
      outcome.errors.map(({ pointer }) => pointer),
      outcome.errors.map(({ code }) => code),
      outcome.errors.map(({ message }) => message),
      new Date(writtenMs).toISOString(),
      outcome.errors.map(({ text = null }) => text),
      outcome.notices,
    ]);
    await announceImports(this.#service, inner, advanced);
    return outcome.counts;
  }

  async #apply(
    { workspace_id, mode, events, dry_run }: ClaimedImport,
    rows: readonly StoredRow[],
    inner: Session,
  ): Promise<SliceOutcome> {
    const workspaceId = encodeId('workspace', workspace_id);
    const call = {
      input: {},
      caller: { ...systemCaller, workspaceId },
      requestId: 'import',
      deadline: Infinity,
    };
    const writers = this.#writers[dry_run || events === 'summary' ? 'quiet' : 'announcing'];
    const work = (session: Session) =>
      applySlice(this.#service, writers, call, { mode, rows }, session);
    return dry_run ? rolledBack(inner, work) : work(inner);
  }

  /**
   * Between transactions, so that others get the locks and the time that the slice had. With `workShare` instead of half of the time, a
   * million rows would take ten minutes beside active workspaces, whose latency is hardly lower with a third (see test/bench).
   */
  async #pause({ workspace_id }: ClaimedImport, tookMs: number): Promise<void> {
    const workspaceId = encodeId('workspace', workspace_id);
    if (this.#service.bus.callers.isOtherActive(workspaceId, performance.now()))
      await setTimeout(tookMs);
  }

  async #postpone({ workspace_id, id }: ClaimedImport, error: unknown): Promise<void> {
    const isTransient = transient.has(faultOf(error).code);
    await this.#service.database.transaction(async (inner) => {
      const postponed = await inner.query<ImportRecord>(postponeImport, [
        ...[workspace_id, id, isTransient ? 0 : 1, attemptsMax],
      ]);
      await announceImports(this.#service, inner, postponed);
    });
  }
}
