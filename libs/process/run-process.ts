import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, streamTrouble, type Bus } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import { AdminServer, type ReadinessCheck, CannotListen } from './admin-server.js';
import { readConfig, type processConfig, natsSecurity } from './config.js';
import { earlySignal } from './early-signals.js';
import { openLog, type Log } from './log.js';
import { observeBus, observeLink, openMetrics } from './metrics.js';
import { printPublicKey } from './named-keys.js';
import { settleHeapLater } from './settle-heap.js';
import { traceIfConfigured } from './start-tracing.js';
import { NotYet, waitFor } from './wait-for.js';
import { watchSigner } from './watch-signer.js';

/** What `start` of every process receives. */
export interface ProcessContext<Config> {
  config: Config;
  log: Log;
  metrics: Registry;
  bus: Bus;
  /** Adds a check to `/readyz`. */
  requires: (name: string, check: ReadinessCheck) => void;
  /**
   * Retries until a dependency, such as a server or a stream, is available: while `attempt` throws NotYet. Meanwhile the
   * process is alive, not ready, and logs the reason. Ends when the process stops.
   */
  waitFor: <T>(attempt: () => Promise<T>) => Promise<T>;
  /** Aborted when the process begins to stop. It then still serves for `DRAIN_DELAY_MS`. */
  stopping: AbortSignal;
  /** Registers a function that shutdown calls, in reverse order. */
  onShutdown: (step: () => unknown) => void;
}

/** Logged when the process is ready. */
export interface Started {
  /** The port for users, if any. */
  port?: number;
}

/** Time limit of a shutdown, after which the process exits although something hangs. */
const shutdownMs = 10_000;

/**
 * Runs a process: config, log, metrics, health, NATS, then `start`. On SIGTERM, SIGINT or the loss of its supervisor,
 * everything is closed in reverse order and the process exits.
 */
export async function runProcess<Schema extends z.ZodType<z.output<typeof processConfig>>>(
  name: string,
  schema: Schema,
  start: (context: ProcessContext<z.output<Schema>>) => Promise<Started | void>,
): Promise<void> {
  const config = configOf(name, schema);
  const log = openLog(name, config.LOG_LEVEL);
  const stack = new ShutdownStack(log);
  const { onShutdown } = stack;
  const stopped = new AbortController();
  let admin: AdminServer | undefined;
  let isReady = false;

  const stop: Stop = async (why, { exitCode = 0, drainDelayMs = 0 } = {}) => {
    if (stopped.signal.aborted) return;
    stopped.abort();
    log.info({ why }, 'stopping');
    admin?.stopping();
    // A process that was never ready receives no requests.
    if (isReady) await delay(drainDelayMs);
    setTimeout(() => {
      log.error('graceful shutdown timed out');
      process.exit(1);
    }, shutdownMs).unref();
    await stack.shutDown();
    log.info('stopped');
    process.exit(exitCode);
  };
  stopOnEvents(stop, { log, drainDelayMs: config.DRAIN_DELAY_MS });
  const early = earlySignal();
  if (early) return stop(early);

  try {
    const metrics = openMetrics(name);
    admin = await AdminServer.open(metrics, config.ADMIN_PORT, config.ADMIN_HOST);
    const { requires } = admin;
    onShutdown(() => admin?.close());
    log.info({ adminPort: admin.port, pid: process.pid }, 'starting');
    await traceIfConfigured({ name, config, log, metrics, onShutdown });
    const waitFor = waiting(log, admin, stopped.signal);
    const options = { ...busOptions(config, log), name, observer: observeBus(metrics) };
    const bus = await waitFor(() => connectBus(options));
    onShutdown(() => bus.close());
    observe(bus, metrics, requires);
    const callerKeys = config.CALLER_PUBLIC_KEYS?.map(printPublicKey).join(' ');
    if (callerKeys !== undefined) bus.describe({ 'caller-keys': callerKeys });
    const context = { config, log, metrics, bus, requires, waitFor, onShutdown };
    await watchSigner(context);
    const started = await start({ ...context, stopping: stopped.signal });
    if (stopped.signal.aborted) return;
    isReady = true;
    admin.started();
    log.info({ ...started, adminPort: admin.port, pid: process.pid }, 'ready');
    settleHeapLater();
    process.send?.({ type: 'ready', ...started, adminPort: admin.port });
  } catch (error) {
    // Everything that `start` opened is closed.
    if (stopped.signal.aborted) return;
    if (error instanceof CannotListen) log.fatal(error.message);
    else log.fatal({ err: error }, 'could not start');
    await stop('could not start', { exitCode: 1 });
  }
}

type Stop = (why: string, how?: { exitCode?: number; drainDelayMs?: number }) => Promise<void>;

function busOptions(config: z.output<typeof processConfig>, log: Log) {
  const { NATS_URL: servers, CALLER_PUBLIC_KEYS: callerKeys } = config;
  if (!callerKeys) log.warn('CALLER_PUBLIC_KEYS is not set: claims of callers are believed');
  return { servers, ...natsSecurity(config), callerKeys, log };
}

function observe(bus: Bus, metrics: Registry, requires: ProcessContext<never>['requires']): void {
  observeLink(metrics, bus.link);
  requires('nats', () => bus.link.up);
  requires('nats-permissions', () => bus.link.deniedSubscriptions.length === 0);
}

/** Ends the process if the environment is invalid. */
function configOf<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> {
  try {
    return readConfig(schema);
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
    return process.exit(78); // EX_CONFIG of sysexits.h
  }
}

function stopOnEvents(stop: Stop, { log, drainDelayMs }: { log: Log; drainDelayMs: number }): void {
  // Process 1 of a container would otherwise ignore these signals.
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => void stop(signal, { drainDelayMs }));
  process.on('disconnect', () => void stop('the supervisor exited'));
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    void stop('unhandled rejection', { exitCode: 1 });
  });
}

function waiting(
  log: Log,
  admin: AdminServer,
  signal: AbortSignal,
): ProcessContext<never>['waitFor'] {
  return async (attempt) => {
    const startedAt = performance.now();
    let told = false;
    const result = await waitFor(
      async () => {
        try {
          return await attempt();
        } catch (error) {
          throw explainTrouble(error) ?? error;
        }
      },
      {
        signal,
        onReason({ message }) {
          told = true;
          admin.waiting(message);
          log.warn({ waiting: true }, message);
        },
      },
    );
    admin.waiting(undefined);
    if (told) {
      const waitedMs = Math.round(performance.now() - startedAt);
      log.info({ waitedMs }, 'dependencies are available');
    }
    return result;
  };
}

/** Whether the error may disappear by waiting. */
function explainTrouble(error: unknown): NotYet | undefined {
  const trouble = streamTrouble(error);
  if (trouble) {
    const { variable, message, passing } = trouble;
    return new NotYet(`${variable}: ${message}`, { passing, cause: error });
  }
  if (error instanceof Fault && (error.code === 'unavailable' || error.code === 'timeout'))
    return new NotYet(error.reason ?? error.message, { passing: true, cause: error });
  return undefined;
}

type ShutdownStep = () => unknown;

/** Closes resources in reverse order of their acquisition: stop accepting work, finish work in flight, close. */
export class ShutdownStack {
  readonly #steps: ShutdownStep[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly onShutdown = (step: ShutdownStep): void => void this.#steps.push(step);

  async shutDown(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        // The remaining steps must run nevertheless.
        this.#log.error({ err: error }, 'failed to close a resource');
      }
    }
  }
}
