import type { Operation } from '@roster/contracts';
import type { ServedAnswer } from '../frame/answer-frame.js';
import { Json, type Answer } from '../frame/call.js';
import { unavailable } from '../frame/faults.js';
import { LargeResult } from '../frame/large-result.js';
import { faultOf } from './isolate-failures.js';

/** Maximum size of the large results of one batch for a client that does not request them again. */
const wholeBytesMax = 16 * 1024 * 1024;

/** Answers a client of the previous release, which does not request large results again. Those beyond the maximum are `unavailable`. */
export async function wholeAnswers(answers: readonly ServedAnswer[]): Promise<ServedAnswer[]> {
  const whole: ServedAnswer[] = [];
  let bytes = 0;
  for (const answer of answers) {
    if (!(answer instanceof LargeResult)) {
      whole.push(answer);
      continue;
    }
    const isFirst = bytes === 0;
    bytes += answer.bytes;
    whole.push(
      isFirst || bytes <= wholeBytesMax
        ? await wholeAnswer(answer)
        : unavailable('too many large results in a batch'),
    );
  }
  return whole;
}

async function wholeAnswer(result: LargeResult): Promise<Answer<unknown>> {
  try {
    let text = '';
    for await (const chunk of result.read()) text += chunk;
    return new Json(text);
  } catch (error) {
    return faultOf(error);
  }
}

/**
 * Refuses a large result of a write: the client would send the call again, and the write would be applied twice. `AnswerTo`
 * excludes it.
 */
export const withoutLargeWrite = ({ access }: Operation, answer: ServedAnswer): ServedAnswer =>
  access === 'write' && answer instanceof LargeResult
    ? faultOf(new Error('a write returned a large result'))
    : answer;
