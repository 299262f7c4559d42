import { encodeId, importLimits, systemCaller, timeOfId } from '@roster/contracts';
import type { Session } from '@roster/storage';
import { traceOfText } from '@roster/telemetry';
import type { JobFailure, JobKind, SliceTrace } from '../jobs/job-runner.js';
import { rolledBack } from '../jobs/rolled-back.js';
import { withTypesOf } from '../writing/definitions/typed-workspaces.js';
import type { ContactsService } from '../service.js';
import { announceImports } from './announce-imports.js';
import { applySlice, type Counts, type SliceOutcome } from './apply-slice.js';
import { importWriters, type ImportWriters } from './import-writers.js';
import { advanceImport, claimImport, postponeImport, type ClaimedImport } from './import-table.js';
import { ImportChunks, type StoredRow } from './import-chunks.js';
import type { ImportRecord } from './import-shape.js';

/**
 * Rows of one transaction, which other creations of the workspace wait for. It is long, because claiming an import, its locks, its
 * progress and the commit cost as much as writing 50 rows.
 */
const rowsMax = 250;

/** Applies the rows of imports. */
export class ImportJobs implements JobKind<ClaimedImport> {
  readonly claim = claimImport;
  readonly #service: ContactsService;
  readonly #onApplied: (counts: Counts) => void;
  readonly #writers: ImportWriters;
  readonly #chunks = new ImportChunks();

  constructor(service: ContactsService, onApplied: (counts: Counts) => void = () => {}) {
    this.#service = service;
    this.#onApplied = onApplied;
    this.#writers = importWriters(service);
  }

  describe({ id }: ClaimedImport) {
    return { name: 'process import', id: encodeId('import', id) };
  }

  async advance(claimed: ClaimedImport, inner: Session, trace: SliceTrace): Promise<() => void> {
    const { workspace_id: workspaceId, id, chunk, position } = claimed;
    const all = await this.#chunks.read(claimed, inner);
    const rows = all.slice(position, position + rowsMax);
    const outcome = await this.#apply(claimed, rows, inner, trace);
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
    await announceImports(this.#service, inner, advanced, trace);
    return () => this.#onApplied(outcome.counts);
  }

  async postpone(
    { workspace_id, id, trace }: ClaimedImport,
    { counts, attemptsMax }: JobFailure,
    inner: Session,
  ): Promise<void> {
    const postponed = await inner.query<ImportRecord>(postponeImport, [
      ...[workspace_id, id, counts, attemptsMax],
    ]);
    await announceImports(this.#service, inner, postponed, traceOfText(trace));
  }

  async #apply(
    { workspace_id, format, mode, events, dry_run, resubscribe }: ClaimedImport,
    rows: readonly StoredRow[],
    inner: Session,
    trace: SliceTrace,
  ): Promise<SliceOutcome> {
    const workspaceId = encodeId('workspace', workspace_id);
    const call = {
      input: {},
      caller: { ...systemCaller, workspaceId },
      requestId: 'import',
      ...trace,
      deadline: Infinity,
    };
    const writers = this.#writers[format][dry_run || events === 'summary' ? 'quiet' : 'announcing'];
    const work = (session: Session) =>
      applySlice(this.#service, writers, call, { mode, resubscribe, rows }, session);
    return withTypesOf(this.#service, workspace_id, () =>
      dry_run ? rolledBack(inner, work) : work(inner),
    );
  }
}
