/** How long and how often each measurement is taken. */
export interface Plan {
  rounds: number;
  warmSeconds: number;
  /** Before the first round: to choose the better monolith, and to let all of them be compiled. */
  trialSeconds: number;
  seconds: { clients64: number; clients256: number; client1: number; half: number };
}

export const fullPlan: Plan = {
  rounds: 3,
  warmSeconds: 0.4,
  trialSeconds: 1.2,
  seconds: { clients64: 1.4, clients256: 1.2, client1: 0.6, half: 2 },
};

/** The regression guard's: enough to see that something became twice as slow. */
export const quickPlan: Plan = {
  rounds: 1,
  warmSeconds: 0.5,
  trialSeconds: 1,
  seconds: { clients64: 1.2, clients256: 0.8, client1: 0.4, half: 1.5 },
};
