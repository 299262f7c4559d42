import { Fault, faultMessages } from '@roster/contracts';
import type { Call } from '../frame/call.js';
import { Contended } from '../frame/faults.js';
import { currentLockWait } from './lock-wait.js';

/** A dependency failed after a statement was sent: a write may have been applied. A read is answered `unavailable`. */
export class OutcomeUnknown extends Fault {
  declare readonly reason: string;

  constructor(message: string, details: { reason: string; cause: unknown }) {
    super('timeout', message, details);
  }
}

/**
 * Handles items together. If that throws, handles each separately, so that an item that throws does not fail the others.
 * `handle` must be atomic: if it throws, nothing was applied. Any Fault except `Contended` applies to all items, or means
 * that the outcome is unknown (`timeout`): nothing is handled again then. Never rejects.
 *
 * @param failure the result of an item whose handling threw
 * @param contendedParts divides items of which `Contended` was thrown into parts, given as indexes; by default one by one
 */
export async function isolateFailures<Item, Result>(
  items: Item[],
  handle: (items: Item[]) => Promise<Result[]>,
  failure: (error: unknown) => Result,
  contendedParts: (items: readonly Item[]) => number[][] = oneByOne,
): Promise<Result[]> {
  let results: Result[];
  try {
    results = await handle(items);
  } catch (error) {
    const parts = partsAfter(error);
    if (parts.length <= 1) return items.map(() => failure(error));
    return inParts(items, parts, (part) => isolateFailures(part, handle, failure, contendedParts));
  }
  if (results.length === items.length) return results;
  const mismatch = new Error(`${results.length} answers to ${items.length} calls`);
  return items.map(() => failure(mismatch));

  function partsAfter(error: unknown): number[][] {
    if (error instanceof Contended) return error.concernsAll ? [] : contendedParts(items);
    return error instanceof Fault ? [] : oneByOne(items);
  }
}

const oneByOne = (items: readonly unknown[]): number[][] => items.map((_, index) => [index]);

/**
 * `isolateFailures` for calls. After a lock timeout, the calls of each workspace are handled together, and wait only briefly,
 * because the batch has already reached the limit.
 */
export function isolateCalls<C extends Call, Result>(
  calls: C[],
  handle: (calls: C[]) => Promise<Result[]>,
  failure: (error: unknown) => Result,
): Promise<Result[]> {
  const handleOnce = async (some: C[]): Promise<Result[]> => {
    try {
      return await handle(some);
    } catch (error) {
      if (error instanceof Contended) currentLockWait()?.shorten();
      throw error;
    }
  };
  return isolateFailures(calls, handleOnce, failure, byWorkspace);
}

const byWorkspace = (calls: readonly Call[]): number[][] => [
  ...Map.groupBy(calls.keys(), (index) => calls[index]!.caller.workspaceId).values(),
];

/** Handles parts, given as indexes, one after another. Returns the results in the order of the items. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  parts: readonly number[][],
  handle: (part: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = Array.from({ length: items.length });
  for (const part of parts) {
    const given = await handle(part.map((index) => items[index]!));
    for (const [at, index] of part.entries()) results[index] = given[at]!;
  }
  return results;
}

/** The fault that answers a call whose handler threw. An unexpected error is shown only in the log. */
export const faultOf = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault('internal', faultMessages.internal, {
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
