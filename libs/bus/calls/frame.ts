import type { Caller, WireFault } from '@roster/contracts';
import { Fault } from '@roster/contracts';

/**
 * The two messages of a batch.
 *
 * Request: one JSON document, `{callers: [Caller], calls: [WireCall]}`, where a call names its caller by index: many calls of
 * one batch share theirs.
 *
 * Answer: a line of JSON with one entry per call (the byte length of a result, or a fault), then the results' bytes one
 * after another. The caller's side hands them on without parsing.
 *
 * Processes of the former release read and write these messages during an upgrade: keys are never renamed, only added.
 */
interface RequestDocument {
  callers: Caller[];
  calls: WireCall[];
}

/** A `Call` on the wire. Its keys are single letters: they are written and parsed with every call. */
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

/** Header of every part of an answer but the last: one batch's results may exceed NATS' `max_payload`. */
export const moreHeader = 'Roster-More';

/** One request of one operation by one caller, as a handler sees it. */
export interface Call<Input = unknown> {
  input: Input;
  caller: Caller;
  requestId: string;
  /** W3C trace context. */
  traceparent?: string;
  /** Milliseconds since the epoch; nobody waits for an answer after it. */
  deadline: number;
  /** Makes a repeated write answer as the first did. */
  idempotencyKey?: string;
}

/** A result that is JSON already: sent as it is. */
export class Json {
  constructor(readonly text: string) {}
}

/** What a handler gives back for one call. */
export type Answer<Output> = Output | Json | Fault;

/** A call waiting to be sent: everything but its caller as JSON text. */
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

/** @param calls encoded by `encodeCall` */
export function encodeRequest(calls: readonly { caller: Caller; encoded: string }[]): string {
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
  return `{"callers":[${callers}],"calls":[${body}]}`;
}

/** @throws SyntaxError or TypeError when the message is no batch */
export function decodeRequest(data: Uint8Array): Call[] {
  const { callers, calls } = JSON.parse(textOf(data)) as RequestDocument;
  return calls.map(({ c, r, t, d, k, i }) => ({
    input: i,
    caller: callers[c]!,
    requestId: r,
    deadline: d,
    ...(t === undefined ? {} : { traceparent: t }),
    ...(k === undefined ? {} : { idempotencyKey: k }),
  }));
}

export function encodeAnswers(answers: readonly Answer<unknown>[]): Buffer {
  const outcomes: (number | WireFault)[] = [];
  let bodies = '';
  for (const answer of answers) {
    if (answer instanceof Fault) {
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

/** One entry per call: the result's JSON bytes (a view, not a copy), or a fault. */
export function decodeAnswers(data: Uint8Array): (Uint8Array | Fault)[] {
  const end = data.indexOf(lineFeed);
  const outcomes = JSON.parse(textOf(data.subarray(0, end))) as (number | WireFault)[];
  let at = end + 1;
  return outcomes.map((outcome) =>
    typeof outcome === 'number' ? data.subarray(at, (at += outcome)) : Fault.fromWire(outcome),
  );
}

export const textOf = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
