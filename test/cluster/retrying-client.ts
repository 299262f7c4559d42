import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Ask } from '../faults/rest-client.js';

/** What a phase of the run looked like to the clients. */
export interface PhaseFigures {
  name: string;
  requests: number;
  /** Of them, those without an answer so far. */
  open: number;
  /** Attempts that were answered 503 or 504, or not at all, by what the client saw. */
  failures: Map<string, number>;
  /** Requests that had failed, and were answered when they were sent again. */
  recovered: number;
  /** Requests that were not answered however often they were sent. */
  givenUp: string[];
  slowestMs: number;
  /** What took that long. */
  slowest: string;
}

/** Longer than any of the faults lasts. */
const patienceMs = 90_000;
const pauseMs = 250;

/**
 * A client that follows the reference: every write has an `Idempotency-Key` of its own, and a request that is answered 503 or
 * 504, or whose connection breaks, is sent again with the same key. Counts what it saw, by phase.
 */
export class RetryingClient {
  readonly phases: PhaseFigures[] = [];
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.enter('start');
  }

  /** Requests made from now on are counted for this phase, whenever they are answered. */
  enter(name: string): PhaseFigures {
    const phase: PhaseFigures = {
      name,
      requests: 0,
      open: 0,
      failures: new Map<string, number>(),
      recovered: 0,
      givenUp: [],
      slowestMs: 0,
      slowest: '',
    };
    this.phases.push(phase);
    return phase;
  }

  readonly ask: Ask = async (method, path, body) => {
    const phase = this.phases.at(-1)!;
    phase.requests += 1;
    phase.open += 1;
    try {
      return await this.#askUntilAnswered(phase, method, path, body);
    } finally {
      phase.open -= 1;
    }
  };

  async #askUntilAnswered(
    phase: PhaseFigures,
    ...[method, path, body]: Parameters<Ask>
  ): Promise<Answer> {
    const headers = method === 'GET' ? undefined : { 'idempotency-key': randomUUID() };
    const began = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(method, path, body, headers);
      const tookMs = performance.now() - began;
      if (typeof answer !== 'string' && answer.status !== 503 && answer.status !== 504) {
        if (attempt > 1) phase.recovered += 1;
        if (tookMs > phase.slowestMs) {
          phase.slowestMs = tookMs;
          phase.slowest = `${method} ${path.split('/')[2]}`;
        }
        return answer;
      }
      const seen = typeof answer === 'string' ? answer : String(answer.status);
      phase.failures.set(seen, (phase.failures.get(seen) ?? 0) + 1);
      if (tookMs > patienceMs) {
        phase.givenUp.push(`${method} ${path}: ${seen} after ${attempt} attempts`);
        throw new Error(seen);
      }
      const waitMs = typeof answer === 'string' ? pauseMs : (answer.retryAfterSeconds ?? 0) * 1000;
      await delay(Math.max(waitMs, pauseMs));
    }
  }

  /** The answer, or why there is none. */
  async #attempt(...request: Parameters<Ask>): Promise<Answer | string> {
    try {
      return await this.#ask(...request);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code ?? message;
    }
  }
}
