/** How long and how often each measurement is taken. */
export interface Plan {
  rounds: number;
  /** Of them and, where there are more, of half load alone: a 99th percentile needs more of them than a throughput. */
  halfRounds: number;
  warmSeconds: number;
  /** Before the rounds: to choose the better monolith, and to let all of them be compiled. The best trial counts. */
  trials: number;
  trialSeconds: number;
  /** By load; one that is not named is not measured. */
  seconds: { clients64: number; half: number; clients256?: number; client1?: number };
  /** Whether to measure what the parts could do, too. */
  limits: boolean;
}

export const fullPlan: Plan = {
  rounds: 3,
  halfRounds: 5,
  warmSeconds: 0.3,
  trials: 2,
  trialSeconds: 0.8,
  seconds: { clients64: 1.4, clients256: 1, client1: 0.5, half: 1.2 },
  limits: true,
};

/** The regression guard's: enough to see that something takes twice as long as it should. */
export const quickPlan: Plan = {
  rounds: 1,
  halfRounds: 1,
  warmSeconds: 0.5,
  trials: 1,
  trialSeconds: 1,
  seconds: { clients64: 1.5, half: 1.5 },
  limits: false,
};
