import { Fault, faultMessages } from '@roster/contracts';

/** Another transaction holds a lock that at least one of the items needs. Nothing was applied. */
export class Contended extends Fault {
  constructor(details: { reason: string; cause: unknown }) {
    super('unavailable', faultMessages.unavailable, { retryAfterSeconds: 1, ...details });
  }
}

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
 */
export async function isolateFailures<Item, Result>(
  items: Item[],
  handle: (items: Item[]) => Promise<Result[]>,
  failure: (error: unknown) => Result,
): Promise<Result[]> {
  let results: Result[];
  try {
    results = await handle(items);
  } catch (error) {
    const refusesAll = error instanceof Fault && !(error instanceof Contended);
    if (refusesAll || items.length === 1) return items.map(() => failure(error));
    results = [];
    for (const item of items) results.push(...(await isolateFailures([item], handle, failure)));
    return results;
  }
  if (results.length === items.length) return results;
  const mismatch = new Error(`${results.length} answers to ${items.length} calls`);
  return items.map(() => failure(mismatch));
}

/** The fault that answers a call whose handler threw. An unexpected error is shown only in the log. */
export const faultOf = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault('internal', faultMessages.internal, {
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
