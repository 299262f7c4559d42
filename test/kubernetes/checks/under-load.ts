import { setTimeout as delay } from 'node:timers/promises';
import { PromiseViolated, type Journal } from '../journal.js';
import {
  countFailures,
  describePhase,
  undisturbedViolations,
  type JudgePhase,
} from '../judge/phase.js';
import type { PhaseSummary } from '../pods/load-phase.js';
import type { Settings } from '../settings.js';

/** The load, controlled through the cluster. Requests sent from now on belong to the phase of this name. */
export interface RunningLoad {
  /** Resolves with the former phase when all of its requests are completed. */
  begin(name: string): Promise<PhaseSummary>;
  stop(): Promise<PhaseSummary>;
}

/** Evaluates every request of the load. Requests between two disturbances count for the first one. */
export class UnderLoad {
  readonly #journal: Journal;
  readonly #load: RunningLoad;
  readonly #settings: Pick<Settings, 'seconds' | 'requestsPerSecond'>;
  #judgeBefore: JudgePhase = undisturbedViolations;

  constructor(
    journal: Journal,
    load: RunningLoad,
    settings: Pick<Settings, 'seconds' | 'requestsPerSecond'>,
  ) {
    this.#journal = journal;
    this.#load = load;
    this.#settings = settings;
  }

  /** The load continues for some seconds after the disturbance, which may have delayed effects. */
  async phase(
    promise: string,
    judge: JudgePhase,
    disturb: () => Promise<string | void>,
  ): Promise<void> {
    await this.#journal.check(promise, async () => {
      const before = this.#between(await this.#load.begin(promise));
      this.#judgeBefore = judge;
      const { seconds, requestsPerSecond } = this.#settings;
      const disturbed = await outcomeOf(disturb);
      await delay(seconds * 1000);
      const summary = await this.#load.begin('between');
      // Half of the requests that are due: a busy machine sends fewer.
      const judged = judge(summary, (summary.seconds * requestsPerSecond) / 2);
      const violations = [...before, ...disturbed.violations, ...judged];
      const counts = countFailures(summary.failures);
      if (violations.length > 0)
        throw new PromiseViolated([describePhase(summary), ...violations, ...counts]);
      return [disturbed.seen, describePhase(summary), ...counts].filter(Boolean).join('; ');
    });
  }

  /** Stops the load, and reports the violations of its last requests. */
  async stop(): Promise<string[]> {
    return this.#between(await this.#load.stop());
  }

  #between(summary: PhaseSummary): string[] {
    return this.#judgeBefore(summary, 0).map((line) => `outside of the disturbances: ${line}`);
  }
}

/** Requests sent during the disturbance are evaluated even if it fails. */
async function outcomeOf(
  disturb: () => Promise<string | void>,
): Promise<{ seen: string | void; violations: readonly string[] }> {
  try {
    return { seen: await disturb(), violations: [] };
  } catch (error) {
    const violations =
      error instanceof PromiseViolated ? error.violations : String(error).split('\n');
    return { seen: undefined, violations };
  }
}
