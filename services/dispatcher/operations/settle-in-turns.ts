import { steadyNow, unavailable, type Answer, type Call } from '@roster/bus';
import { Fault } from '@roster/contracts';

const concurrency = 8;

/**
 * Answers each call separately, at most eight at a time. A fault of one does not affect the others. A call whose deadline has
 * passed before it is handled is refused: its caller no longer waits.
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
          ? unavailable('the deadline passed before the call was handled')
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
