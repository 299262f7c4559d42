import { Fault, type Operation, type WireFault } from '@roster/contracts';
import { textOf } from '../../wire.js';
import { Json, type AnswerTo } from './call.js';
import { Contended } from './faults.js';

/**
 * The answer of a batch: a line of JSON with one outcome per call, followed by the concatenated results. The client passes the
 * results on without parsing them. A number is the length of a result in bytes.
 */
type Outcome = number | (WireFault & { contended?: true });

/** Header of every message of an answer except the last. The results of one batch may exceed the `max_payload` of NATS. */
export const moreHeader = 'Roster-More';
/** Header of the last message of an answer: indexes of the results that are stored responses of earlier calls, separated by commas. */
export const replayedHeader = 'Roster-Replayed';

/** Maximum size of a result. A page of a list has at most 1 MiB; the recorded attempts of a delivery may have more. */
const resultBytesMax = 10 * 1024 * 1024;

const resultTooLarge = new Fault('payload_too_large', 'The result is larger than 10 MiB.');

/** The value of `replayedHeader`; empty without such results. */
export const replayedIn = (answers: readonly AnswerTo<Operation>[]): string =>
  [...answers.keys()]
    .filter((index) => {
      const answer = answers[index];
      return answer instanceof Json && answer.isReplayed;
    })
    .join(',');

export function encodeAnswers(answers: readonly AnswerTo<Operation>[]): Buffer {
  let results = '';
  const outcomes = answers.map((answer): Outcome => {
    if (answer instanceof Fault) return answer.toWire();
    const text = Json.textOf(answer);
    const bytes = Buffer.byteLength(text);
    if (bytes > resultBytesMax) return resultTooLarge.toWire();
    results += text;
    return bytes;
  });
  return Buffer.from(`${JSON.stringify(outcomes)}\n${results}`);
}

const lineFeed = 10;
/** Results of larger answers are copied, so that a client that is slow to read one does not keep the others in memory. */
const sharedBytesMax = 512 * 1024;

/**
 * One entry per call: the JSON bytes of its result, or a fault. None if the answer is malformed or incomplete: a shifted result
 * could belong to another workspace.
 */
export function decodeAnswers(data: Uint8Array): (Uint8Array | Fault)[] {
  try {
    return decode(data);
  } catch {
    return [];
  }
}

function decode(data: Uint8Array): (Uint8Array | Fault)[] {
  const end = data.indexOf(lineFeed);
  const outcomes = JSON.parse(textOf(data.subarray(0, end))) as Outcome[];
  let at = end + 1;
  const decoded = outcomes.map((outcome) => {
    if (typeof outcome === 'number') {
      const result = data.subarray(at, (at += outcome));
      return outcomes.length > 1 && data.length > sharedBytesMax ? result.slice() : result;
    }
    if (typeof outcome.code !== 'string') throw new TypeError('neither a result nor a fault');
    const { contended, ...fault } = outcome;
    return contended ? new Contended(fault) : Fault.fromWire(fault);
  });
  if (at !== data.length) throw new RangeError('the lengths do not add up');
  return decoded;
}
