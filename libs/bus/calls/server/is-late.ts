import { steadyNow } from '../../steady-clock.js';
import type { Call } from '../frame/call.js';

/** Time for an answer to reach the caller, also from a busy process. */
const answerMs = 100;

/**
 * Whether nothing should be begun for a call any more, because its deadline may pass before the answer arrives. Its caller then
 * learns that nothing was applied, instead of a `timeout` with an unknown outcome.
 */
export const isLate = ({ deadline }: Pick<Call, 'deadline'>, now = steadyNow()): boolean =>
  now >= deadline - answerMs;
