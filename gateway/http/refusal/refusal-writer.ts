import type { FaultDetails } from '@roster/contracts';
import type { RefusalCode } from './refusal-status.js';

/** How requests are refused that reach no route, or whose route leaves it to the server. */
export interface RefusalWriter {
  mediaType: string;
  bodyOf(code: RefusalCode, detail: string, requestId: string, details?: FaultDetails): string;
}
