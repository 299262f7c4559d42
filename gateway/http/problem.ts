import type { Fault, FaultDetails } from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { HttpContext } from './exchange.js';
import { problemStatus, problemTypes, type ProblemCode } from './problem-types.js';
import { Refusal } from './refusal.js';
import { send } from './send.js';

/** Body of every refusal (RFC 9457). */
export interface Problem extends FaultDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  requestId: string;
}

export const problemMediaType = 'application/problem+json; charset=utf-8';

export function problemOf(
  code: ProblemCode,
  detail: string,
  requestId: string,
  details?: FaultDetails,
): Problem {
  return {
    type: `/problems/${code}`,
    title: problemTypes[code].title,
    status: problemStatus[code],
    detail,
    code,
    requestId,
    ...details,
  };
}

/** Answers a request with what refused it. */
export function sendProblem(ctx: HttpContext, fault: Fault, realm: string): void {
  const { code, message, details } = fault;
  const { headers, requestId } = ctx.state;
  setFaultHeaders(headers, fault, realm);
  send(
    ctx,
    problemStatus[code],
    problemMediaType,
    JSON.stringify(problemOf(code, message, requestId, details)),
  );
}

/** What HTTP has headers for. */
export function setFaultHeaders(headers: OutgoingHttpHeaders, fault: Fault, realm: string): void {
  const { code, details } = fault;
  if (details.retryAfterSeconds !== undefined) headers['Retry-After'] = details.retryAfterSeconds;
  if (code === 'unauthenticated') headers['WWW-Authenticate'] = `Bearer realm="${realm}"`;
  if (fault instanceof Refusal) Object.assign(headers, fault.headers);
}
