import { steadyNow, unavailable, type Answer, type Call } from '@roster/bus';
import { Fault } from '@roster/contracts';

const concurrency = 8;

/**
 * Answers each call by itself, a few at a time. A fault of one does not concern the others. A call whose deadline has passed when it
 * is its turn is not worked on: nobody reads its answer.
 */
export async function settleInTurns<Input, Result>(
  calls: readonly Call<Input>[],
  answer: (call: Call<Input>, index: number) => Promise<Answer<Result>>,
): Promise<Answer<Result>[]> {
  const answers: Answer<Result>[] = [];
  let next = 0;
  const work = async () => {
    while (next < calls.length) {
      const at = next++;
      const call = calls[at]!;
      answers[at] =
        call.deadline <= steadyNow()
          ? unavailable('the deadline passed before it was its turn')
          : await answer(call, at).catch(faultIn);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return answers;
}

function faultIn(error: unknown): Fault {
  if (error instanceof Fault) return error;
  throw error;
}
