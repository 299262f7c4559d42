import { setTimeout as delay } from 'node:timers/promises';
import { NotSo, type Journal } from '../journal.js';
import {
  countFailures,
  describePhase,
  unlikeUndisturbed,
  type JudgePhase,
} from '../judge/phase.js';
import type { PhaseSummary } from '../pods/load-phase.js';
import type { Settings } from '../settings.js';

/** The load, as it is asked through the cluster: what is sent from now on belongs to a phase of this name. */
export interface RunningLoad {
  /** Resolves with the phase before, once all of its requests are over. */
  begin(name: string): Promise<PhaseSummary>;
  stop(): Promise<PhaseSummary>;
}

/** Judges every request of the load: those between two disturbances as those of the disturbance before. */
export class UnderLoad {
  readonly #journal: Journal;
  readonly #load: RunningLoad;
  readonly #settings: Pick<Settings, 'seconds' | 'requestsPerSecond'>;
  #judgeBefore: JudgePhase = unlikeUndisturbed;

  constructor(
    journal: Journal,
    load: RunningLoad,
    settings: Pick<Settings, 'seconds' | 'requestsPerSecond'>,
  ) {
    this.#journal = journal;
    this.#load = load;
    this.#settings = settings;
  }

  /** The load goes on for some seconds after the disturbance: what it left behind belongs to it. */
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
      // Half of what is to be sent: a busy machine sends less.
      const judged = judge(summary, (summary.seconds * requestsPerSecond) / 2);
      const against = [...before, ...disturbed.against, ...judged];
      const counts = countFailures(summary.failures);
      if (against.length > 0) throw new NotSo([describePhase(summary), ...against, ...counts]);
      return [disturbed.seen, describePhase(summary), ...counts].filter(Boolean).join('; ');
    });
  }

  /** Ends the load, and says what speaks against its last requests. */
  async stop(): Promise<string[]> {
    return this.#between(await this.#load.stop());
  }

  #between(summary: PhaseSummary): string[] {
    return this.#judgeBefore(summary, 0).map((line) => `outside of the disturbances: ${line}`);
  }
}

/** However it ends, the requests that were sent meanwhile are judged. */
async function outcomeOf(
  disturb: () => Promise<string | void>,
): Promise<{ seen: string | void; against: readonly string[] }> {
  try {
    return { seen: await disturb(), against: [] };
  } catch (error) {
    const against = error instanceof NotSo ? error.against : String(error).split('\n');
    return { seen: undefined, against };
  }
}
