/** Expected values of Roster on two cores, relative to the best monolith in the same round. */
export interface Expectation {
  /** Minimum ratio of the requests per second at saturation. */
  throughput?: number;
  /** The same with 64 clients. */
  throughputAt64?: number;
  /** Maximum ratio of the 99th percentiles of latency, at half of the saturation throughput of the slower one. */
  p99AtHalf?: number;
  /** Maximum ratio of the median latencies of a single client. */
  p50AtOne?: number;
}

const write: Expectation = { p99AtHalf: 1.2, p50AtOne: 2 };

export const expectations: Record<string, Expectation> = {
  get: { throughputAt64: 1.6, p99AtHalf: 1.2, p50AtOne: 2.3 },
  create: { ...write, throughputAt64: 1.7 },
  update: { ...write, throughputAt64: 2.2 },
  delete: { throughput: 2.5, throughputAt64: 1.8, p99AtHalf: 0.9 },
  'create-webhook': { throughput: 2.5, p99AtHalf: 0.9 },
  list: { throughput: 100, p99AtHalf: 0.05 },
  'list-small': { throughput: 1.2, p99AtHalf: 1.5 },
  mixed: { throughput: 2.5, p99AtHalf: 0.7 },
};

/** Throughput relative to the faster monolith without a stream, below which the regression check fails. */
export const guards: Record<string, number> = {
  get: 1,
  create: 1,
  update: 1,
  list: 10,
  'list-small': 1,
  mixed: 1,
};

/** CPU time per request with 64 clients, relative to a commit that sends each event as a message of its own. */
export const processorTimeRatiosMax = {
  commit: '23ca068bb0e1b6663241d0380c484a5b5caeed3e',
  jobs: { create: 0.62, update: 0.58, get: 0.88 } as Record<string, number>,
};

/** CPU time per request with 64 clients, with one request in a hundred traced. */
export const tracesRatioMax = 1.05;

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

/** The first page of a filter, relative to the first page of the plain list. */
export const filterRatioMax = 3;

/** The time of an import beside another workspace's requests, and the p99 of those relative to that without it. */
export const importExpectations = { secondsMaxOfMillion: 120, p99RatioMax: 2, rssMibMax: 200 };

/** Throughput with an Idempotency-Key, relative to that without one. */
export const withKeyRatioMin = 0.7;

export type Verdicts = Partial<Record<keyof Expectation, boolean>>;

/** Whether the bound is a minimum. */
export const isAtLeast = (name: keyof Expectation): boolean => name.startsWith('throughput');

/** Whether the medians of the measured ratios meet their expectations. */
export function judge(
  expected: Expectation,
  measured: Partial<Record<keyof Expectation, { median: number }>>,
): Verdicts {
  const verdicts: Verdicts = {};
  for (const [name, bound] of Object.entries(expected) as [keyof Expectation, number][]) {
    const ratio = measured[name]?.median;
    if (ratio === undefined) continue;
    // NaN results from a measurement without responses, and does not meet the expectation.
    verdicts[name] = isAtLeast(name) ? ratio >= bound : ratio <= bound;
  }
  return verdicts;
}
