import type { FaultDetails } from '@roster/contracts';
import type { RefusalCode } from './refusal-status.js';

/** Writes the body of a refusal, for requests without a route and for faults that a route does not handle. */
export interface RefusalWriter {
  mediaType: string;
  bodyOf(code: RefusalCode, detail: string, requestId: string, details?: FaultDetails): string;
}
