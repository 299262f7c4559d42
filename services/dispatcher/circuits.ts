import type { Attempt } from './attempt.js';
import { retryAfterSeconds, retryAfterSecondsMax } from './decide-next.js';

export interface CircuitLimits {
  /** First pause of a webhook that fails; each further one is twice as long, up to the greatest. */
  pauseSeconds: number;
  pauseSecondsMax: number;
}

/** Failures in a row after which a webhook is left in peace for a while. */
const failuresMax = 5;
/** Answers by which a receiver says that it is all too much for it now. */
const overloaded = new Set([429, 502, 503, 504]);

interface Circuit {
  failures: number;
  /** Pauses since the last success. */
  pauses: number;
  /** Milliseconds since the epoch until which nothing is sent; afterwards one probe at a time, until one succeeds. */
  pausedUntil: number;
  probing: boolean;
}

/**
 * A circuit breaker for each webhook that fails. Five failures in a row, or an answer that says the receiver is overloaded,
 * and it gets nothing for a while, then one probe at a time; each failed probe doubles the pause, one success ends it.
 * Every process learns for itself. Bounded by the webhooks that fail; one that works is not remembered.
 */
export class Circuits {
  readonly #limits: CircuitLimits;
  readonly #circuits = new Map<string, Circuit>();

  constructor(limits: CircuitLimits) {
    this.#limits = limits;
  }

  /** Whether fresh deliveries may be sent as they come. */
  isClosed(webhookId: string): boolean {
    const circuit = this.#circuits.get(webhookId);
    return circuit === undefined || circuit.pauses === 0;
  }

  /** Seconds until the webhook may be tried; 0 when it may be now. */
  pauseLeft(webhookId: string): number {
    const circuit = this.#circuits.get(webhookId);
    return circuit ? Math.max(0, circuit.pausedUntil - Date.now()) / 1000 : 0;
  }

  /** Whether a waiting delivery may be tried now: always on a closed circuit, as the only probe on one whose pause is over. */
  admit(webhookId: string): boolean {
    const circuit = this.#circuits.get(webhookId);
    if (circuit === undefined || circuit.pauses === 0) return true;
    if (circuit.probing || circuit.pausedUntil > Date.now()) return false;
    circuit.probing = true;
    return true;
  }

  /** Learns from an attempt. Whether a webhook that was paused works again. */
  note(webhookId: string, attempt: Pick<Attempt, 'error' | 'statusCode' | 'retryAfter'>): boolean {
    const known = this.#circuits.get(webhookId);
    if (attempt.error === null) {
      this.#circuits.delete(webhookId);
      return known !== undefined && known.pauses > 0;
    }
    const circuit = known ?? { failures: 0, pauses: 0, pausedUntil: 0, probing: false };
    this.#circuits.set(webhookId, circuit);
    circuit.failures += 1;
    circuit.probing = false;
    const isOverloaded = overloaded.has(attempt.statusCode ?? 0);
    if (circuit.failures < failuresMax && !isOverloaded) return false;
    const now = Date.now();
    // Attempts that were under way together fail together: they make one pause.
    if (circuit.pausedUntil <= now) circuit.pauses += 1;
    const { pauseSeconds, pauseSecondsMax } = this.#limits;
    const grown = Math.min(pauseSeconds * 2 ** (circuit.pauses - 1), pauseSecondsMax);
    const asked = isOverloaded
      ? Math.min(retryAfterSeconds(attempt.retryAfter, new Date(now)), retryAfterSecondsMax)
      : 0;
    circuit.pausedUntil = Math.max(circuit.pausedUntil, now + Math.max(grown, asked) * 1000);
    return false;
  }

  /** The probe was not made after all. */
  release(webhookId: string): void {
    const circuit = this.#circuits.get(webhookId);
    if (circuit) circuit.probing = false;
  }

  /** Webhooks of which nothing may be claimed now, and those of which one. */
  restricted(): { closed: string[]; probing: string[] } {
    const closed: string[] = [];
    const probing: string[] = [];
    const now = Date.now();
    for (const [webhookId, { pauses, pausedUntil, probing: isProbing }] of this.#circuits) {
      if (pauses === 0) continue;
      (isProbing || pausedUntil > now ? closed : probing).push(webhookId);
    }
    return { closed, probing };
  }
}
