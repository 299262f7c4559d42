import type { Answer, Call } from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';
import type { Session } from './database.js';
import type { SessionHandler } from './idempotency.js';

/** Calls that are handled at once at most. */
const callsMax = 256;

interface Turn<O extends Operation> {
  calls: Call<InputOf<O>>[];
  session: Session;
  outcome: PromiseWithResolvers<Answer<OutputOf<O>>[]>;
}

/**
 * Lets a handler work on one batch at a time. Batches that come meanwhile wait, and then become one where they share a session: those
 * that come during a slow commit wait for one more, not for one each. When what they became breaks, each is handled by itself.
 */
export function consecutive<O extends Operation>(handle: SessionHandler<O>): SessionHandler<O> {
  const waiting: Turn<O>[] = [];
  let working = false;
  return (calls, session) => {
    const outcome = Promise.withResolvers<Answer<OutputOf<O>>[]>();
    waiting.push({ calls, session, outcome });
    if (!working) void work();
    return outcome.promise;
  };

  async function work(): Promise<void> {
    working = true;
    while (waiting.length > 0) {
      const turns = waiting.splice(0, fitting());
      if (!(await handleAtOnce(turns))) for (const turn of turns) await handleAlone(turn);
    }
    working = false;
  }

  /** How many of those that wait become one. */
  function fitting(): number {
    const { session } = waiting[0]!;
    let calls = 0;
    const end = waiting.findIndex((turn, index) => {
      calls += turn.calls.length;
      return index > 0 && (turn.session !== session || calls > callsMax);
    });
    return end === -1 ? waiting.length : end;
  }

  async function handleAtOnce(turns: readonly Turn<O>[]): Promise<boolean> {
    if (turns.length === 1) return false;
    try {
      const answers = await handle(
        turns.flatMap(({ calls }) => calls),
        turns[0]!.session,
      );
      let at = 0;
      for (const { calls, outcome } of turns)
        outcome.resolve(answers.slice(at, (at += calls.length)));
      return true;
    } catch {
      return false;
    }
  }

  async function handleAlone({ calls, session, outcome }: Turn<O>): Promise<void> {
    try {
      outcome.resolve(await handle(calls, session));
    } catch (error) {
      outcome.reject(error);
    }
  }
}
