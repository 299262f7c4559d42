import { steadyNow } from '../../wire.js';
import type { Call } from '../frame/call.js';

/** Time for an answer to reach the caller, also from a busy process. */
const answerMs = 100;

/**
 * Whether the deadline of a call may pass before an answer arrives. A call that is not handled by then is answered `unavailable`,
 * because nothing was applied, instead of `timeout`, which leaves the outcome open.
 */
export const isLate = ({ deadline }: Pick<Call, 'deadline'>, now = steadyNow()): boolean =>
  now >= deadline - answerMs;
