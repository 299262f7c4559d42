/** What Roster must do on two cores, against the better of the monoliths in the same run. */
export interface Expectation {
  /** Roster's requests per second at saturation over the monolith's, at least. */
  throughput?: number;
  /** Roster's 99th percentile over the monolith's, at half of what saturates the slower one, at most. */
  p99AtHalf?: number;
  /** Roster's median latency over the monolith's for a single client, at most. */
  p50AtOne?: number;
}

export const expectations: Record<string, Expectation> = {
  get: { throughput: 1.5, p99AtHalf: 1.5, p50AtOne: 2.5 },
  create: { throughput: 2.5, p99AtHalf: 1 },
  update: { throughput: 2.5, p99AtHalf: 1 },
  delete: { throughput: 2.5, p99AtHalf: 1 },
  list: { throughput: 20, p99AtHalf: 0.2 },
  'list-small': { throughput: 1.2, p99AtHalf: 1.5 },
  mixed: { throughput: 1.5, p99AtHalf: 1.2 },
};

/** Ratios of Roster to the monolith that an expectation speaks of. */
export type Ratios = Record<keyof Expectation, number>;

/** Whether what was measured is as expected, for each expectation there is. `slack` 2 lets it miss by half. */
export function judge(
  expected: Expectation,
  measured: Partial<Ratios>,
  slack = 1,
): Partial<Record<keyof Expectation, boolean>> {
  const verdicts: Partial<Record<keyof Expectation, boolean>> = {};
  for (const [name, bound] of Object.entries(expected) as [keyof Expectation, number][]) {
    const ratio = measured[name];
    if (ratio === undefined) continue;
    verdicts[name] = name === 'throughput' ? ratio >= bound / slack : ratio <= bound * slack;
  }
  return verdicts;
}
