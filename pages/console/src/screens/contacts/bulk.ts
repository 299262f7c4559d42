import { isTemporary, Problem } from '../../data/problem.js';
import { rest } from '../../data/rest.js';
import type { Row } from './contact.js';

/** Why a contact was left as it is. */
export interface Refusal {
  row: Row;
  reason: string;
}

export interface BulkProgress {
  done: number;
  total: number;
  refusals: readonly Refusal[];
}

export interface BulkAction {
  /** Contacts of a request. */
  size: number;
  /** Requests at the same time. */
  inFlight: number;
  run: (rows: readonly Row[], signal: AbortSignal) => Promise<Refusal[]>;
}

const triesMax = 6;

/**
 * Runs an action for many contacts, slice by slice. A slice that meets a limit or a lost connection is sent again: every action may
 * run twice.
 *
 * @throws Problem when the rest cannot be done now; the reason of the signal
 */
export async function runBulk(
  rows: readonly Row[],
  { size, inFlight, run }: BulkAction,
  signal: AbortSignal,
  onProgress: (progress: BulkProgress, remaining: readonly Row[]) => void,
): Promise<void> {
  const remaining = new Set(rows);
  const refusals: Refusal[] = [];
  let next = 0;
  const work = async () => {
    while (next < rows.length) {
      const slice = rows.slice(next, next + size);
      next += size;
      refusals.push(...(await repeated(() => run(slice, signal), signal)));
      for (const row of slice) remaining.delete(row);
      onProgress(
        { done: rows.length - remaining.size, total: rows.length, refusals: [...refusals] },
        [...remaining],
      );
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work)).catch((error: unknown) => {
    next = rows.length;
    throw error;
  });
}

async function repeated<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      if (!isTemporary(error) || tries >= triesMax) throw error;
      const seconds = (error as Problem).retryAfterSeconds ?? 2 ** (tries - 1);
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 60) * 1000));
    }
  }
}

/** Small enough for progress that one sees. A batch has at most 1,000. */
const batchSize = 250;

/** Changes single tags, so that the contacts keep those that others give them meanwhile. */
export const changeTags = (
  changes: { addTags: readonly string[] } | { removeTags: readonly string[] },
): BulkAction => ({
  size: batchSize,
  inFlight: 1,
  run: (rows, signal) =>
    batch(
      rows.map((row) => ({ row, operation: { action: 'update', id: row.id, ...changes } })),
      signal,
    ),
});

export const deleteAll: BulkAction = {
  size: batchSize,
  inFlight: 1,
  run: async (rows, signal) => {
    const wanted = rows.map((row) => ({ row, operation: { action: 'delete', id: row.id } }));
    const refusals = await batch(wanted, signal);
    return refusals.filter(({ reason }) => reason !== deleted);
  },
};

/** A batch has no such operation. */
export const unsubscribeAll: BulkAction = {
  size: 1,
  inFlight: 6,
  run: async ([row], signal) => {
    try {
      await rest('POST', `/v1/contacts/${row!.id}/unsubscribe`, { signal });
      return [];
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return [{ row: row!, reason: deleted }];
      throw error;
    }
  },
};

const deleted = 'was deleted meanwhile';

interface BatchResult {
  status: number;
  problem?: { code: string; detail: string; errors?: { message: string }[] };
}

async function batch(
  wanted: readonly { row: Row; operation: object }[],
  signal: AbortSignal,
): Promise<Refusal[]> {
  if (wanted.length === 0) return [];
  const { data } = await rest<{ results: BatchResult[] }>('POST', '/v1/contacts/batch', {
    body: { operations: wanted.map(({ operation }) => operation) },
    signal,
  });
  return data.results.flatMap(({ problem }, at) => {
    if (!problem) return [];
    const { row } = wanted[at]!;
    if (problem.code === 'not_found') return [{ row, reason: deleted }];
    return [{ row, reason: problem.errors?.[0]?.message ?? problem.detail }];
  });
}
