/** Expected values of Roster on two cores, relative to the faster monolith in the same run. */
export interface Expectation {
  /** Minimum ratio of the requests per second at saturation. */
  throughput?: number;
  /** Maximum ratio of the 99th percentiles of latency, at half of the saturation throughput of the slower one. */
  p99AtHalf?: number;
  /** Maximum ratio of the median latencies of a single client. */
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

/** At saturation, for every Node process of Roster. */
export const rssMibMax = 150;
/** Cost of the first page with the total in a large workspace, relative to a small one. */
export const sizeRatioMax = 1.2;
/** Successful responses relative to the peak, at four times the peak load. */
export const goodputMin = 0.9;

/**
 * CPU time per request with two and four gateways and contacts processes, relative to one of each, if the load grows
 * with them.
 */
export const replicasRatioMax = 1.2;

/** The p99 of a workspace's requests while another one misbehaves, relative to the p99 without it. */
export const neighboursRatioMax = 1.5;

/** Of an import beside another workspace's requests: its time, and the p99 of those requests relative to that without it. */
export const importExpectations = { secondsMaxOfMillion: 120, p99RatioMax: 2, rssMibMax: 200 };

/** Tolerance of the regression check: machines are shared and noisy. */
export const guardSlack = 2;

export type Verdicts = Partial<Record<keyof Expectation, boolean>>;

/**
 * Whether the medians of the measured ratios meet their expectations.
 *
 * @param slack 2 accepts ratios that are half as good
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
    // NaN results from a measurement without responses, and does not meet the expectation.
    verdicts[name] = name === 'throughput' ? ratio >= bound / slack : ratio <= bound * slack;
  }
  return verdicts;
}
