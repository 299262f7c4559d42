import type { circuitStates } from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import type { Attempt } from '../attempt/attempt.js';
import { retryAfterSeconds, retryAfterSecondsMax } from './decide-next.js';

export interface CircuitLimits {
  /** How long a circuit is open at first. Each failed probe doubles it, up to `openSecondsMax`. */
  openSeconds: number;
  openSecondsMax: number;
}

/** Consecutive failures that open a circuit. */
const failuresMax = 5;
/** Status codes of an overloaded receiver: each opens the circuit immediately. */
const overloaded = new Set([429, 502, 503, 504]);
/** Above this number, the circuit that was used longest ago is dropped: its webhook may be deleted, or have no deliveries. */
const circuitsMax = 20_000;

/** The state that an attempt has brought a circuit into. */
export type CircuitChange = (typeof circuitStates)[number];

interface Circuit {
  failures: number;
  /** Number of openings since the last success; 0 while it is closed. */
  openings: number;
  /** Until when it is open, by `performance.now()`; half-open afterwards, until a probe succeeds. */
  openUntil: number;
  probing: boolean;
}

/**
 * A circuit breaker for each failing webhook. Five consecutive failures, or one response of an overloaded receiver, open the
 * circuit: no deliveries are attempted. Then it is half-open and admits one probe at a time; a failed probe opens it for twice as
 * long, a success closes it. Processes do not share circuits.
 */
export class Circuits {
  readonly #limits: CircuitLimits;
  readonly #circuits = new LRUCache<string, Circuit>({ max: circuitsMax });

  constructor(limits: CircuitLimits) {
    this.#limits = limits;
  }

  isClosed(webhookId: string): boolean {
    const circuit = this.#circuits.get(webhookId);
    return circuit === undefined || circuit.openings === 0;
  }

  /** Seconds until an open circuit is half-open; 0 when it is not open. */
  secondsUntilProbe(webhookId: string): number {
    const circuit = this.#circuits.get(webhookId);
    return circuit ? Math.max(0, circuit.openUntil - performance.now()) / 1000 : 0;
  }

  /** Admits an attempt: any on a closed circuit, one probe at a time on a half-open one. */
  admit(webhookId: string, mayProbe: boolean): 'regular' | 'probe' | undefined {
    const circuit = this.#circuits.get(webhookId);
    if (circuit === undefined || circuit.openings === 0) return 'regular';
    if (!mayProbe || circuit.probing || circuit.openUntil > performance.now()) return undefined;
    circuit.probing = true;
    return 'probe';
  }

  /** Records the result of an attempt. Returns whether it opened a closed circuit, or closed it. */
  note(
    webhookId: string,
    attempt: Pick<Attempt, 'error' | 'statusCode' | 'retryAfter'>,
  ): CircuitChange | undefined {
    const known = this.#circuits.get(webhookId);
    if (attempt.error === null) {
      this.#circuits.delete(webhookId);
      return known !== undefined && known.openings > 0 ? 'closed' : undefined;
    }
    const circuit = known ?? { failures: 0, openings: 0, openUntil: 0, probing: false };
    this.#circuits.set(webhookId, circuit);
    circuit.failures += 1;
    circuit.probing = false;
    const isOverloaded = overloaded.has(attempt.statusCode ?? 0);
    if (circuit.failures < failuresMax && !isOverloaded) return undefined;
    const now = performance.now();
    const wasClosed = circuit.openings === 0;
    // Concurrent attempts fail together: they open the circuit once.
    if (circuit.openUntil <= now) circuit.openings += 1;
    const { openSeconds, openSecondsMax } = this.#limits;
    const grown = Math.min(openSeconds * 2 ** (circuit.openings - 1), openSecondsMax);
    const requested = isOverloaded
      ? Math.min(retryAfterSeconds(attempt.retryAfter, new Date()), retryAfterSecondsMax)
      : 0;
    circuit.openUntil = Math.max(circuit.openUntil, now + Math.max(grown, requested) * 1000);
    return wasClosed ? 'open' : undefined;
  }

  /** Gives back a probe that was not made. */
  returnProbe(webhookId: string): void {
    const circuit = this.#circuits.get(webhookId);
    if (circuit) circuit.probing = false;
  }

  /** Webhooks by the state of their circuit. One whose probe is in flight counts as open. */
  unclosed(): { open: string[]; halfOpen: string[] } {
    const open: string[] = [];
    const halfOpen: string[] = [];
    const now = performance.now();
    for (const [webhookId, { openings, openUntil, probing }] of this.#circuits) {
      if (openings === 0) continue;
      (probing || openUntil > now ? open : halfOpen).push(webhookId);
    }
    return { open, halfOpen };
  }
}
