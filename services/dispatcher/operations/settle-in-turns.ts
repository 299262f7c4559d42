import type { Answer } from '@roster/bus';
import { Fault } from '@roster/contracts';

const concurrency = 8;

/** Answers each call by itself, a few at a time. A fault of one does not concern the others. */
export async function settleInTurns<Call, Result>(
  calls: readonly Call[],
  answer: (call: Call) => Promise<Answer<Result>>,
): Promise<Answer<Result>[]> {
  const answers: Answer<Result>[] = [];
  let next = 0;
  const work = async () => {
    while (next < calls.length) {
      const at = next++;
      answers[at] = await answer(calls[at]!).catch((error: unknown) => {
        if (error instanceof Fault) return error;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return answers;
}
