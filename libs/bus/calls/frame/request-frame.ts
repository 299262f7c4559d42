import type { Caller } from '@roster/contracts';
import { steadyNow } from '../../steady-clock.js';
import type { Call } from './call.js';
import { parseRequest } from './request-document.js';

/** Header of a request with one call whose large result is sent in chunks. */
export const largeHeader = 'Roster-Large';

/** Header of a batch of an isolated workspace. Its value is the ID of the workspace. */
export const isolatedHeader = 'Roster-Isolated';

/** Encodes a call, without its caller, as the end of a JSON object. */
export function encodeCall(call: Omit<Call, 'caller' | 'bytes'>): string {
  const { requestId, traceparent, deadline, idempotencyKey, ifMatch, address, input } = call;
  return (
    `"r":${JSON.stringify(requestId)},"d":${deadline},` +
    (traceparent === undefined ? '' : `"t":${JSON.stringify(traceparent)},`) +
    (idempotencyKey === undefined ? '' : `"k":${JSON.stringify(idempotencyKey)},`) +
    (ifMatch === undefined ? '' : `"m":${JSON.stringify(ifMatch)},`) +
    (address === undefined ? '' : `"a":${JSON.stringify(address)},`) +
    `"i":${JSON.stringify(input)}}`
  );
}

const callerTexts = new WeakMap<Caller, string>();

/**
 * @param calls encoded by `encodeCall`
 * @param defers whether calls may be deferred: the client sends them again
 * @param clock the name of the client's clock
 */
export function encodeRequest(
  calls: readonly { caller: Caller; encoded: string }[],
  defers: boolean,
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
  return `{"at":${steadyNow()},"clock":"${clock}","large":true,${defers ? '"defers":true,' : ''}"callers":[${callers}],"calls":[${body}]}`;
}

export interface Request {
  calls: Call[];
  /** The workspace of all calls. Undefined if they belong to several. */
  workspaceId: string | undefined;
  /** Whether calls may be deferred. */
  defers: boolean;
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
  const { calls, at, clock, defers = false } = request;
  const callers = request.callers.map((claims) => callerOf(claims));
  const bytes = data.length / calls.length;
  const aheadMs = aheadOf(at, clock);
  const workspaceId = callers[0]?.workspaceId;
  return {
    workspaceId: callers.every((caller) => caller.workspaceId === workspaceId)
      ? workspaceId
      : undefined,
    defers,
    calls: calls.map(({ c, r, t, d, k, m, a, i }) => ({
      input: i,
      caller: callers[c] ?? callerOf(undefined),
      requestId: r,
      deadline: d + aheadMs,
      bytes,
      ...(t === undefined ? {} : { traceparent: t }),
      ...(k === undefined ? {} : { idempotencyKey: k }),
      ...(m === undefined ? {} : { ifMatch: m }),
      ...(a === undefined ? {} : { address: a }),
    })),
  };
}
