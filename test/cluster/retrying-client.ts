import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Send } from '../faults/rest-client.js';

/** The results of the requests of one phase. */
export interface PhaseFigures {
  name: string;
  requests: number;
  /** Requests in flight. */
  open: number;
  /** Failed attempts (503, 504, a key in use or no response), counted by error. */
  failures: Map<string, number>;
  /** Requests that failed at first and succeeded when retried. */
  recovered: number;
  /** Requests that failed despite all retries. */
  givenUp: string[];
  slowestMs: number;
  /** The operation of the slowest response. */
  slowest: string;
}

const isRetried = ({ status, body }: Answer): boolean =>
  status === 503 || status === 504 || body.code === 'idempotency_key_in_use';

/** Longer than any fault. */
const patienceMs = 90_000;
const pauseMs = 250;

/**
 * A client that follows the reference: every write has an `Idempotency-Key` of its own, and a request that is answered 503, 504
 * or `idempotency_key_in_use`, or whose connection breaks, is retried with the same key. Counts the results by phase.
 */
export class RetryingClient {
  readonly phases: PhaseFigures[] = [];
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
    this.enter('start');
  }

  /** Requests sent from now on are counted for this phase, regardless of when their response arrives. */
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

  readonly send: Send = async (method, path, body) => {
    const phase = this.phases.at(-1)!;
    phase.requests += 1;
    phase.open += 1;
    try {
      return await this.#sendUntilAnswered(phase, method, path, body);
    } finally {
      phase.open -= 1;
    }
  };

  async #sendUntilAnswered(
    phase: PhaseFigures,
    ...[method, path, body]: Parameters<Send>
  ): Promise<Answer> {
    const headers = method === 'GET' ? undefined : { 'idempotency-key': randomUUID() };
    const began = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(method, path, body, headers);
      const tookMs = performance.now() - began;
      if (typeof answer !== 'string' && !isRetried(answer)) {
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

  /** The response, or the reason why there is none. */
  async #attempt(...request: Parameters<Send>): Promise<Answer | string> {
    try {
      return await this.#send(...request);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code ?? message;
    }
  }
}
