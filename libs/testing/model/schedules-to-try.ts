import { shortOrLong } from '../short-or-long.js';

interface Schedules {
  numRuns: number;
  includeErrorInReport: boolean;
  seed?: number;
}

/** Parameters of a property over schedules, of which the short form tries a tenth: ROSTER_SCHEDULES tries more or fewer, ROSTER_SEED repeats a failure. */
export function schedulesToTry(usually: number): Schedules {
  const seed = process.env['ROSTER_SEED'];
  const numRuns = Number(process.env['ROSTER_SCHEDULES'] ?? shortOrLong(usually / 10, usually));
  return { numRuns, includeErrorInReport: true, ...(seed ? { seed: Number(seed) } : {}) };
}
