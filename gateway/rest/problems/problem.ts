import type { FaultDetails } from '@roster/contracts';
import { type RefusalCode, refusalStatus, type RefusalWriter } from '../../http/refusal.js';
import { problemTypes } from './problem-types.js';

/** A problem document (RFC 9457). */
export interface Problem extends FaultDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: RefusalCode;
  requestId: string;
  /** Of a request that is traced. */
  traceId?: string;
}

/** Writes refusals as problem documents. */
export const problemWriter: RefusalWriter = {
  mediaType: 'application/problem+json; charset=utf-8',
  bodyOf(code, detail, requestId, details, traceId) {
    const problem: Problem = {
      type: `/problems/${code}`,
      title: problemTypes[code].title,
      status: refusalStatus[code],
      detail,
      code,
      requestId,
      ...(traceId !== undefined && { traceId }),
      ...details,
    };
    return JSON.stringify(problem);
  },
};
