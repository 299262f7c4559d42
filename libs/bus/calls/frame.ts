import type { Caller, WireFault } from '@roster/contracts';
import { Fault } from '@roster/contracts';

/**
 * The two messages of a batch.
 *
 * Request: one JSON document, `{callers: [Caller], calls: [WireCall]}`. A call refers to its caller by index, because many
 * calls of one batch have the same caller.
 *
 * Answer: a line of JSON with one entry per call (the byte length of its result, a fault, or null for a deferred call), followed
 * by the concatenated results. The client passes the results on without parsing them.
 *
 * Processes of the previous release read and write these messages during an upgrade: keys may be added, but never renamed.
 */
interface RequestDocument {
  callers: Caller[];
  calls: WireCall[];
  /** Whether the client sends deferred calls again. The previous release does not. */
  defers?: true;
}

/** A `Call` in a message. Its keys are single letters, because they are written and parsed with every call. */
interface WireCall {
  /** Index of the caller. */
  c: number;
  /** `requestId` */
  r: string;
  /** `traceparent` */
  t?: string;
  /** `deadline` */
  d: number;
  /** `idempotencyKey` */
  k?: string;
  /** `input` */
  i: unknown;
}

/** Header of every part of an answer except the last. The results of one batch may exceed the `max_payload` of NATS. */
export const moreHeader = 'Roster-More';

/** Header of a batch of an isolated workspace. Its value is the ID of the workspace. */
export const isolatedHeader = 'Roster-Isolated';

/** One request of one operation by one caller, as a handler sees it. */
export interface Call<Input = unknown> {
  input: Input;
  caller: Caller;
  requestId: string;
  /** W3C trace context. */
  traceparent?: string;
  /** Milliseconds since the epoch. After it, the caller ignores the answer. */
  deadline: number;
  /** A write repeated with the same key gets the answer of the first one. */
  idempotencyKey?: string;
}

/** A result that is already JSON text, and is sent unchanged. */
export class Json {
  constructor(readonly text: string) {}
}

/** The answer of a handler to one call. */
export type Answer<Output> = Output | Json | Fault;

/** Encodes a call, without its caller, as the end of a JSON object. */
export function encodeCall(call: Omit<Call, 'caller'>): string {
  const { requestId, traceparent, deadline, idempotencyKey, input } = call;
  return (
    `"r":${JSON.stringify(requestId)},"d":${deadline},` +
    (traceparent === undefined ? '' : `"t":${JSON.stringify(traceparent)},`) +
    (idempotencyKey === undefined ? '' : `"k":${JSON.stringify(idempotencyKey)},`) +
    `"i":${JSON.stringify(input)}}`
  );
}

const callerTexts = new WeakMap<Caller, string>();

/**
 * @param calls encoded by `encodeCall`
 * @param defers whether the client sends deferred calls again
 */
export function encodeRequest(
  calls: readonly { caller: Caller; encoded: string }[],
  defers: boolean,
): string {
  const indexes = new Map<Caller, number>();
  let callers = '';
  let body = '';
  for (const { caller, encoded } of calls) {
    let index = indexes.get(caller);
    if (index === undefined) {
      index = indexes.size;
      indexes.set(caller, index);
      let text = callerTexts.get(caller);
      if (text === undefined) callerTexts.set(caller, (text = JSON.stringify(caller)));
      callers += index === 0 ? text : `,${text}`;
    }
    body += `${body === '' ? '' : ','}{"c":${index},${encoded}`;
  }
  return `{${defers ? '"defers":true,' : ''}"callers":[${callers}],"calls":[${body}]}`;
}

export interface Request {
  calls: Call[];
  /** Whether calls may be deferred. */
  defers: boolean;
}

/** @throws SyntaxError or TypeError if the message is not a batch */
export function decodeRequest(data: Uint8Array): Request {
  const { defers = false, callers, calls } = JSON.parse(textOf(data)) as RequestDocument;
  return {
    defers,
    calls: calls.map(({ c, r, t, d, k, i }) => ({
      input: i,
      caller: callers[c]!,
      requestId: r,
      deadline: d,
      ...(t === undefined ? {} : { traceparent: t }),
      ...(k === undefined ? {} : { idempotencyKey: k }),
    })),
  };
}

/** Answers a call that waits for a lock. Nothing was applied: the client sends it again, in a batch of its workspace. */
export const deferred = null;

export function encodeAnswers(answers: readonly (Answer<unknown> | typeof deferred)[]): Buffer {
  const outcomes: (number | WireFault | typeof deferred)[] = [];
  let bodies = '';
  for (const answer of answers) {
    if (answer === deferred) {
      outcomes.push(deferred);
    } else if (answer instanceof Fault) {
      outcomes.push(answer.toWire());
    } else {
      const text = answer instanceof Json ? answer.text : JSON.stringify(answer);
      outcomes.push(Buffer.byteLength(text));
      bodies += text;
    }
  }
  return Buffer.from(`${JSON.stringify(outcomes)}\n${bodies}`);
}

const lineFeed = 10;

/** One entry per call: the JSON bytes of its result (a view, not a copy), a fault, or `deferred`. */
export function decodeAnswers(data: Uint8Array): (Uint8Array | Fault | typeof deferred)[] {
  const end = data.indexOf(lineFeed);
  const outcomes = JSON.parse(textOf(data.subarray(0, end))) as (
    | number
    | WireFault
    | typeof deferred
  )[];
  let at = end + 1;
  return outcomes.map((outcome) => {
    if (typeof outcome === 'number') return data.subarray(at, (at += outcome));
    return outcome === deferred ? deferred : Fault.fromWire(outcome);
  });
}

export const textOf = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
