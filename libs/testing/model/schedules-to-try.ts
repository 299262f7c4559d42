interface Schedules {
  numRuns: number;
  includeErrorInReport: boolean;
  seed?: number;
}

/** Parameters of a property over schedules: ROSTER_SCHEDULES tries more or fewer, ROSTER_SEED repeats a failure. */
export function schedulesToTry(usually: number): Schedules {
  const seed = process.env['ROSTER_SEED'];
  const numRuns = Number(process.env['ROSTER_SCHEDULES'] ?? usually);
  return { numRuns, includeErrorInReport: true, ...(seed ? { seed: Number(seed) } : {}) };
}
