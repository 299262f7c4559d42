import { Fault, faultMessages } from '@roster/contracts';

/** Refuses items because of one of them: somebody else holds what it needs. Nothing has happened. */
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
 * Handles items together and, when that fails, each by itself, so that one that breaks its handler fails no other. `handle` is
 * all or nothing: when it throws, nothing has happened. A Fault other than `Contended` is different: it refuses all of them, or
 * says that nobody knows what has happened (`timeout`). Nothing is repeated then. Never throws.
 *
 * @param failure what an item gets whose handling threw
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

/** What a caller is answered when its call threw. Of an error nobody expected it learns nothing, the log all. */
export const faultOf = (error: unknown): Fault =>
  error instanceof Fault
    ? error
    : new Fault('internal', faultMessages.internal, {
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
