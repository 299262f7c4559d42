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

/** At saturation, of every Node process of Roster. */
export const rssMibMax = 150;
/** What the first page and the total cost in a large workspace, over what they cost in a small one. */
export const sizeRatioMax = 1.2;
/** Answered of what is answered at the peak, while four times as much is offered. */
export const goodputMin = 0.9;

/** CPU time per request with two and four gateways and contacts processes over that with one of each, the load growing with them. */
export const replicasRatioMax = 1.2;

/** What the regression guard lets pass: machines are shared and noisy. */
export const guardSlack = 2;

export type Verdicts = Partial<Record<keyof Expectation, boolean>>;

/**
 * Whether medians of ratios are as expected, for each expectation that was measured.
 *
 * @param slack 2 lets a ratio be half as good
 */
export function judge(
  expected: Expectation,
  measured: Partial<Record<keyof Expectation, { median: number }>>,
  slack = 1,
): Verdicts {
  const verdicts: Verdicts = {};
  for (const [name, bound] of Object.entries(expected) as [keyof Expectation, number][]) {
    const ratio = measured[name]?.median;
    if (ratio === undefined) continue;
    // A ratio that is no number is a measurement without an answer: not as expected.
    verdicts[name] = name === 'throughput' ? ratio >= bound / slack : ratio <= bound * slack;
  }
  return verdicts;
}
