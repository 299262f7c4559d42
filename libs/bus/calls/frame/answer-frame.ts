import { Fault, type Operation, type WireFault } from '@roster/contracts';
import { textOf } from '../../wire.js';
import { Json, type AnswerTo } from './call.js';
import { LargeResult } from './large-result.js';

/**
 * The answer of a batch: a line of JSON with one outcome per call, followed by the concatenated results. The client passes the
 * results on without parsing them.
 */
type Outcome = number | WireFault | WireOversize | typeof deferred;

/** The result is too large for the batch: the client requests it again, alone. */
interface WireOversize {
  /** Approximate size. */
  answerBytes: number;
}

/** Answers a call that waits for a lock. Nothing was applied: the client sends it again, in a batch of its workspace. */
export const deferred = null;

/** What a service answers to one call. */
export type ServedAnswer = AnswerTo<Operation> | typeof deferred;

/** Instead of the length of the only result: it extends to the end of the answer. */
const untilEnd = -1;

/** Header of every part of an answer except the last. The results of one batch may exceed the `max_payload` of NATS. */
export const moreHeader = 'Roster-More';
/** Header of the last part of an answer: indexes of the results that are stored responses of earlier calls, separated by commas. */
export const replayedHeader = 'Roster-Replayed';
/** Header of the last part of an answer whose result could not be read completely. */
export const brokenHeader = 'Roster-Broken';

/** Results are encoded in chunks of about this length, because all results of a batch may exceed the maximum length of a string. */
const textLengthMax = 256 * 1024;

/** The value of `replayedHeader`; empty without such results. */
export const replayedIn = (answers: readonly ServedAnswer[]): string =>
  [...answers.keys()]
    .filter((index) => {
      const answer = answers[index];
      return answer instanceof Json && answer.isReplayed;
    })
    .join(',');

/** Encodes an answer in chunks. Of a large result, it contains the size only. */
export function encodeAnswers(answers: readonly ServedAnswer[]): Buffer[] {
  const outcomes: Outcome[] = [];
  const chunks: Buffer[] = [];
  let bodies = '';
  for (const answer of answers) {
    if (answer === deferred) {
      outcomes.push(deferred);
    } else if (answer instanceof Fault) {
      outcomes.push(answer.toWire());
    } else if (answer instanceof LargeResult) {
      outcomes.push({ answerBytes: answer.bytes });
    } else {
      const text = Json.textOf(answer);
      outcomes.push(Buffer.byteLength(text));
      bodies += text;
      if (bodies.length > textLengthMax) {
        chunks.push(Buffer.from(bodies));
        bodies = '';
      }
    }
  }
  const line = `${JSON.stringify(outcomes)}\n`;
  return chunks.length === 0
    ? [Buffer.from(line + bodies)]
    : [Buffer.from(line), ...chunks, Buffer.from(bodies)];
}

/** The line before the chunks of the only result. */
export const lineOfChunks = (): Buffer => Buffer.from(`[${untilEnd}]\n`);

/** A result that is too large for its batch, to be requested again, alone. */
export class Oversize {
  constructor(readonly bytes: number) {}
}

const lineFeed = 10;
/** Results of larger answers are copied, so that a client that is slow to read one does not keep the others in memory. */
const sharedBytesMax = 512 * 1024;

type DecodedAnswer = Uint8Array | Fault | Oversize | typeof deferred;

/**
 * One entry per call: the JSON bytes of its result, a fault, the size of a result that is too large, or `deferred`. None if the
 * answer is malformed or incomplete: a shifted result could belong to another workspace.
 */
export function decodeAnswers(data: Uint8Array): DecodedAnswer[] {
  try {
    return decode(data);
  } catch {
    return [];
  }
}

function decode(data: Uint8Array): DecodedAnswer[] {
  const end = data.indexOf(lineFeed);
  const outcomes = JSON.parse(textOf(data.subarray(0, end))) as Outcome[];
  let at = end + 1;
  const decoded = outcomes.map((outcome) => {
    if (outcome === untilEnd) return data.subarray(at, (at = data.length));
    if (typeof outcome === 'number') {
      const result = data.subarray(at, (at += outcome));
      return outcomes.length > 1 && data.length > sharedBytesMax ? result.slice() : result;
    }
    if (outcome === deferred) return deferred;
    return 'answerBytes' in outcome ? new Oversize(outcome.answerBytes) : Fault.fromWire(outcome);
  });
  if (at !== data.length) throw new RangeError('the lengths do not add up');
  return decoded;
}
