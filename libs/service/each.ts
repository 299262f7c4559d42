import { internal, type Answer, type Call } from '@roster/bus';
import { Fault, type InputOf, type Operation, type OutputOf } from '@roster/contracts';
import type { Session } from './database.js';
import type { SessionHandler } from './idempotency.js';

/** Lifts a handler of one call to batches, for operations that are not hot: one after another, a fault for each that is refused. */
export function each<O extends Operation>(
  handle: (call: Call<InputOf<O>>, session: Session) => Promise<Answer<OutputOf<O>>>,
): SessionHandler<O> {
  return async (calls, session) => {
    const answers: Answer<OutputOf<O>>[] = [];
    for (const call of calls) {
      try {
        answers.push(await handle(call, session));
      } catch (error) {
        // Those before it have happened: throwing would have the batch run again.
        answers.push(error instanceof Fault ? error : internal(error));
      }
    }
    return answers;
  };
}
