import type { Caller } from '@roster/contracts';
import { steadyNow, textOf } from '../../wire.js';
import type { Call } from './call.js';

/** Encodes a call, without its caller, as the end of a JSON object. */
export function encodeCall(call: Omit<Call, 'caller' | 'bytes'>): string {
  const { requestId, traceparent, tracestate, deadline, idempotencyKey, ifMatch, address, input } =
    call;
  return (
    `"r":${JSON.stringify(requestId)},"d":${deadline},` +
    (traceparent === undefined ? '' : `"t":${JSON.stringify(traceparent)},`) +
    (tracestate === undefined ? '' : `"s":${JSON.stringify(tracestate)},`) +
    (idempotencyKey === undefined ? '' : `"k":${JSON.stringify(idempotencyKey)},`) +
    (ifMatch === undefined ? '' : `"m":${JSON.stringify(ifMatch)},`) +
    (address === undefined ? '' : `"a":${JSON.stringify(address)},`) +
    `"i":${JSON.stringify(input)}}`
  );
}

const callerTexts = new WeakMap<Caller, string>();

/**
 * @param calls encoded by `encodeCall`
 * @param clock the name of the client's clock
 */
export function encodeRequest(
  calls: readonly { caller: Caller; encoded: string }[],
  clock: string,
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
  return `{"at":${steadyNow()},"clock":"${clock}","callers":[${callers}],"calls":[${body}]}`;
}

export interface Request {
  calls: Call[];
  /** The workspace of all calls. Undefined if they belong to several. */
  workspaceId: string | undefined;
}

/**
 * @param aheadOf how far the clock of this process is ahead of the client's, given the time of sending and the name of the
 *   client's clock
 * @param callerOf returns the caller that the claims prove; the claims are undefined if a call refers to none
 * @throws SyntaxError or TypeError if the message is not a batch
 */
export function decodeRequest(
  data: Uint8Array,
  aheadOf: (sentAt: number, clock: string) => number = () => 0,
  callerOf: (claims: unknown) => Caller = (claims) => claims as Caller,
): Request {
  const request = parseRequest(data);
  const { calls, at, clock } = request;
  const callers = request.callers.map((claims) => callerOf(claims));
  const bytes = data.length / calls.length;
  const aheadMs = aheadOf(at, clock);
  const workspaceId = callers[0]?.workspaceId;
  return {
    workspaceId: callers.every((caller) => caller.workspaceId === workspaceId)
      ? workspaceId
      : undefined,
    calls: calls.map(({ c, r, t, s, d, k, m, a, i }) => ({
      input: i,
      caller: callers[c] ?? callerOf(undefined),
      requestId: r,
      deadline: d + aheadMs,
      bytes,
      ...(t === undefined ? {} : { traceparent: t }),
      ...(s === undefined ? {} : { tracestate: s }),
      ...(k === undefined ? {} : { idempotencyKey: k }),
      ...(m === undefined ? {} : { ifMatch: m }),
      ...(a === undefined ? {} : { address: a }),
    })),
  };
}

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
}

/** A `Call` in a message. Its keys are single letters, because they are written and parsed with every call. */
interface WireCall {
  /** Index of the caller. */
  c: number;
  /** `requestId` */
  r: string;
  /** `traceparent` */
  t?: string;
  /** `tracestate` */
  s?: string;
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
function isWireCall({ c, d, r, t, s, k, m, a }: WireCall): boolean {
  if (!Number.isFinite(c) || !Number.isFinite(d) || !isText(r)) return false;
  if (!isTextIfAny(t) || !isTextIfAny(k) || !isTextIfAny(a)) return false;
  if (s !== undefined && (typeof s !== 'string' || !tracestateText.test(s))) return false;
  return m === undefined || (Array.isArray(m) && m.every(isText));
}

const visibleAscii = /^[\x21-\x7e]{0,255}$/;
const tracestateText = /^[\x21-\x7e]{1,512}$/;

/** Whether a text can be sent beside the input of a call. */
export const isText = (value: unknown): boolean =>
  typeof value === 'string' && visibleAscii.test(value);

const isTextIfAny = (value: unknown): boolean => value === undefined || isText(value);

const malformed = (part: string) => new TypeError(`malformed batch: ${part}`);
