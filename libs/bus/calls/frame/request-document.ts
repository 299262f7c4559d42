import type { Caller } from '@roster/contracts';
import { textOf } from '../../text-of.js';

/**
 * The request of a batch: one JSON document, `{callers: [Caller], calls: [WireCall]}`. A call refers to its caller by index,
 * because many calls of one batch have the same caller. The answer is described in answer-frame.ts.
 *
 * Processes of two releases read and write these messages during an upgrade: keys may be added, but not renamed.
 */
interface RequestDocument {
  callers: Caller[];
  calls: WireCall[];
  /** When it was sent, by the clock of the deadlines. */
  at: number;
  /** Names that clock. Only services see requests: no other process can send a time of it. */
  clock: string;
  /** Whether calls may be deferred. */
  defers?: true;
  /** Until 0.4.0: asks services of 0.2.0 for the sizes of large results, as every client does. */
  large?: true;
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
  /** `ifMatch` */
  m?: readonly string[];
  /** `address` */
  a?: string;
  /** `input` */
  i: unknown;
}

/** Maximum number of calls of a batch. Clients send so many only if they are reads and no other batch is in flight. */
export const batchCallsMax = 256;

/**
 * The document of a message. Callers and inputs are not checked here, but with each call: see `admitCall`.
 *
 * @throws SyntaxError or TypeError if no client writes such a document: a process with stolen credentials has sent it
 */
export function parseRequest(data: Uint8Array): RequestDocument {
  const request = JSON.parse(textOf(data)) as RequestDocument;
  const { callers, calls, at, clock } = request;
  if (!Array.isArray(callers) || !Array.isArray(calls)) throw malformed('callers or calls');
  if (callers.length > batchCallsMax || calls.length > batchCallsMax) throw malformed('length');
  if (!Number.isFinite(at) || !isText(clock)) throw malformed('clock');
  for (const call of calls) if (!isWireCall(call)) throw malformed('call');
  return request;
}

/** Without a list of the fields: most of them are absent in most calls. */
function isWireCall({ c, d, r, t, k, m, a }: WireCall): boolean {
  if (!Number.isFinite(c) || !Number.isFinite(d) || !isText(r)) return false;
  if (!isTextIfAny(t) || !isTextIfAny(k) || !isTextIfAny(a)) return false;
  return m === undefined || (Array.isArray(m) && m.every(isText));
}

const visibleAscii = /^[\x21-\x7e]{0,255}$/;

/** Whether a text can be sent beside the input of a call. */
export const isText = (value: unknown): boolean =>
  typeof value === 'string' && visibleAscii.test(value);

const isTextIfAny = (value: unknown): boolean => value === undefined || isText(value);

const malformed = (part: string) => new TypeError(`malformed batch: ${part}`);
