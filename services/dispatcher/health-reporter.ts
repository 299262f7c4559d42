import { randomUUID } from 'node:crypto';
import type { Bus } from '@roster/bus';
import { Fault, systemCaller } from '@roster/contracts';
import type { Log } from '@roster/service';
import type { Attempt } from './attempt.js';

interface Health {
  workspaceId: string;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  /** The first failure since the last success, as far as this process knows. */
  failingSince: string | null;
  told: boolean;
}

const askTimeoutMs = 5000;
const webhooksMax = 20_000;

/**
 * Tells the webhooks service how its webhooks fare, every few seconds and only what changed: it shows that, and disables
 * those that have done nothing but fail for days. What is lost with this process is told by the next attempts.
 */
export class HealthReporter {
  readonly #bus: Bus;
  readonly #log: Log;
  readonly #health = new Map<string, Health>();
  readonly #timer: NodeJS.Timeout;

  constructor(bus: Bus, log: Log, everyMs: number) {
    this.#bus = bus;
    this.#log = log;
    this.#timer = setInterval(() => void this.report(), everyMs);
  }

  /** Ids in their outside form. */
  note(workspaceId: string, webhookId: string, { error, startedAt }: Attempt): void {
    let health = this.#health.get(webhookId);
    if (!health) {
      if (this.#health.size >= webhooksMax) this.#health.delete(this.#health.keys().next().value!);
      health = {
        workspaceId,
        lastSuccessAt: null,
        lastFailureAt: null,
        failingSince: null,
        told: false,
      };
      this.#health.set(webhookId, health);
    }
    health.told = false;
    if (error === null) {
      health.lastSuccessAt = startedAt;
      health.failingSince = null;
    } else {
      health.lastFailureAt = startedAt;
      health.failingSince ??= startedAt;
    }
  }

  async report(): Promise<void> {
    const changed = [...this.#health].filter(([, { told }]) => !told);
    await Promise.all(changed.map(([webhookId, health]) => this.#tell(webhookId, health)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.report();
  }

  async #tell(webhookId: string, health: Health): Promise<void> {
    const { workspaceId, lastSuccessAt, lastFailureAt, failingSince } = health;
    health.told = true;
    const input = { workspaceId, webhookId, lastSuccessAt, lastFailureAt, failingSince };
    const context = {
      caller: systemCaller,
      requestId: randomUUID(),
      deadline: Date.now() + askTimeoutMs,
    };
    try {
      await this.#bus.ask('webhooks.report-health', input, context);
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') this.#health.delete(webhookId);
      else {
        health.told = false;
        this.#log.debug({ err: error, webhookId }, 'could not report the health of a webhook');
      }
    }
  }
}
