import { connectBus, type Bus } from '@roster/bus';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import { AdminServer, type ReadinessCheck } from './admin-server.js';
import { readConfig, type processConfig } from './config.js';
import { openLog, type Log } from './log.js';
import { observeBus, openMetrics } from './metrics.js';
import { ReleaseStack } from './release.js';

/** What every process starts with. */
export interface ProcessContext<Config> {
  config: Config;
  log: Log;
  metrics: Registry;
  bus: Bus;
  /** `/readyz` asks this too. */
  requires: (name: string, check: ReadinessCheck) => void;
  /** Called on shutdown, in reverse order. */
  onRelease: (release: () => unknown) => void;
}

/** What a started process tells about itself. */
export interface Started {
  /** The port it serves its users on, if any. */
  port?: number;
}

/** How long a shutdown may take before the process gives up on what hangs. */
const shutdownMs = 10_000;

/**
 * Runs a process from its environment to its last breath: config, log, metrics, health, NATS, then `start`; on SIGTERM,
 * SIGINT or the loss of its supervisor, everything is released in reverse and the process exits.
 */
export async function runProcess<Schema extends z.ZodType<z.output<typeof processConfig>>>(
  name: string,
  schema: Schema,
  start: (context: ProcessContext<z.output<Schema>>) => Promise<Started | void>,
): Promise<void> {
  let config: z.output<Schema>;
  try {
    config = readConfig(schema);
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
    process.exit(78); // EX_CONFIG of sysexits.h
  }
  const log = openLog(name, config.LOG_LEVEL);
  const stack = new ReleaseStack(log);
  const { onRelease } = stack;
  let admin: AdminServer | undefined;

  let stopping = false;
  const stop = async (why: string, exitCode = 0) => {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    admin?.stopping();
    setTimeout(() => {
      log.error('gave up waiting for a clean stop');
      process.exit(1);
    }, shutdownMs).unref();
    await stack.release();
    log.info('stopped');
    process.exit(exitCode);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('disconnect', () => void stop('the supervisor is gone'));
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    void stop('unhandled rejection', 1);
  });

  try {
    const metrics = openMetrics(name);
    admin = await AdminServer.open(metrics, config.ADMIN_PORT, config.ADMIN_HOST);
    onRelease(() => admin?.close());
    const bus = await connectBus({
      servers: config.NATS_URL,
      name,
      log,
      observer: observeBus(metrics),
    });
    onRelease(() => bus.close());
    admin.requires('nats', () => bus.link.up);
    const started = await start({ config, log, metrics, bus, requires: admin.requires, onRelease });
    // What starting leaves behind is a third of the process (where `deploy/node-flags` lets it be asked for).
    globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
    log.info({ ...started, adminPort: admin.port, pid: process.pid }, 'ready');
    process.send?.({ type: 'ready', ...started, adminPort: admin.port });
  } catch (error) {
    log.fatal({ err: error }, 'could not start');
    await stop('could not start', 1);
  }
}
