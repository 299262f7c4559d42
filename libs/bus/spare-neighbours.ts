import { Fault, type Operation, type OutputOf, type InputOf } from '@roster/contracts';
import type { Answer, Call } from './frame.js';

/**
 * Runs a batch so that one call that breaks its handler does not fail its neighbours: when the whole breaks, the calls are
 * run one by one. The handler must be atomic, so that nothing of a batch that broke has happened. Never throws.
 */
export async function spareNeighbours<O extends Operation>(
  calls: Call<InputOf<O>>[],
  handle: (calls: Call<InputOf<O>>[]) => Promise<Answer<OutputOf<O>>[]>,
): Promise<Answer<OutputOf<O>>[]> {
  try {
    const answers = await handle(calls);
    if (answers.length !== calls.length)
      throw new Error(`${answers.length} answers to ${calls.length} calls`);
    return answers;
  } catch (error) {
    if (error instanceof Fault) return calls.map(() => error);
    if (calls.length === 1) return [internal(error)];
    const answers: Answer<OutputOf<O>>[] = [];
    for (const call of calls) answers.push(...(await spareNeighbours<O>([call], handle)));
    return answers;
  }
}

/** An error nobody expected: the caller learns nothing of it, the log all. */
export const internal = (error: unknown): Fault =>
  new Fault('internal', 'Something went wrong on our side.', {
    reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
