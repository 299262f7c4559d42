/** Duration and number of measurements. */
export interface Plan {
  rounds: number;
  /**
   * Rounds, and the number of measurements of half load, which may be higher: a 99th percentile requires more samples
   * than a throughput.
   */
  halfRounds: number;
  warmSeconds: number;
  /** Trials before the rounds, which select the monoliths to compare with and warm up all contenders. The best trial counts. */
  trials: number;
  trialSeconds: number;
  /** By load. Loads that are not listed are not measured. */
  seconds: { clients64: number; half: number; clients256?: number; client1?: number };
  /** Whether to measure the limits of single components, too. */
  limits: boolean;
}

export const fullPlan: Plan = {
  rounds: 3,
  halfRounds: 4,
  warmSeconds: 0.3,
  trials: 1,
  trialSeconds: 1,
  seconds: { clients64: 1.2, clients256: 1, client1: 0.5, half: 1.2 },
  limits: true,
};

/** For the regression check. The median of three short rounds varies less than one round of their length. */
export const quickPlan: Plan = {
  rounds: 3,
  halfRounds: 1,
  warmSeconds: 0.3,
  trials: 1,
  trialSeconds: 1,
  seconds: { clients64: 0.6, half: 0.6 },
  limits: false,
};
