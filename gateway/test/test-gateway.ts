import { connectBus } from '@roster/bus';
import { observeBus, openLog, openMetrics, ShutdownStack, type Log } from '@roster/process';
import { eventually, throwawayNats, type ThrowawayNats } from '@roster/testing';
import type { ExecutionContext, TestFn } from 'ava';
import { gatewayConfig, type GatewayConfig } from '../config.js';
import { startGateway } from '../start-gateway.js';
import { serveStubs, type StubServices } from './stub-services.js';

export interface TestGateway {
  url: string;
  port: number;
  nats: ThrowawayNats;
  stubs: StubServices;
  metrics: ReturnType<typeof openMetrics>;
  /** Sends a request with a key that holds all scopes, unless `init` contains other headers. */
  send(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Aborts `stopping`, as SIGTERM does first. */
  beginStop(): void;
  close(): Promise<void>;
}

/** Times long enough that a slow machine causes neither timeouts nor further look-ups of keys, and all features. */
const testSettings = { REQUEST_TIMEOUT_MS: 30_000, KEY_CACHE_SECONDS: 60, NODE_ENV: 'development' };

type TestParts = Pick<Parameters<typeof startGateway>[0], 'exportLimits'> & { log?: Log };

/** A gateway in this process, with its own NATS and stubs of all services. */
export async function testGateway(
  settings: Partial<GatewayConfig> = {},
  { exportLimits, log = openLog('gateway', 'silent') }: TestParts = {},
): Promise<TestGateway> {
  const shutdown = new ShutdownStack(log);
  try {
    return await openGateway(shutdown, settings, { exportLimits, log });
  } catch (error) {
    // What runs would keep the process of the tests alive.
    await shutdown.shutDown();
    throw error;
  }
}

async function openGateway(
  shutdown: ShutdownStack,
  settings: Partial<GatewayConfig>,
  { exportLimits, log }: TestParts & { log: Log },
): Promise<TestGateway> {
  const nats = await throwawayNats();
  shutdown.onShutdown(() => nats.stop());
  const stubs = await serveStubs(nats.url);
  shutdown.onShutdown(() => stubs.close());
  const metrics = openMetrics('gateway');
  const options = { servers: nats.url, name: 'gateway', log, observer: observeBus(metrics) };
  // On a loaded machine a connection may take longer than its limit of 3 s.
  const bus = await eventually(() => connectBus(options));
  shutdown.onShutdown(() => bus.close());
  const config = {
    ...gatewayConfig.parse({ NATS_URL: nats.url, PORT: 0, ...testSettings }),
    ...settings,
  };
  const stopping = new AbortController();
  const { port } = await startGateway({
    ...{ config, log, metrics, bus },
    stopping: stopping.signal,
    onShutdown: shutdown.onShutdown,
    exportLimits,
  });
  // The server has processed all subscriptions, including those to broadcasts.
  await bus.link.nats.flush();
  const url = `http://127.0.0.1:${port}`;
  const { apiKey } = stubs.makeKey();
  const send = (path: string, init: RequestInit = {}) =>
    fetch(url + path, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string>) },
    });
  return {
    url,
    port,
    nats,
    stubs,
    metrics,
    send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    beginStop: () => stopping.abort(),
    close: () => shutdown.shutDown(),
  };
}

/** Starts a gateway once for the tests of a file. */
export function sharedGateway(
  test: TestFn,
  settings: Partial<GatewayConfig> = {},
): () => TestGateway {
  let gateway: TestGateway;
  test.before(async () => void (gateway = await testGateway(settings)));
  test.after.always(() => gateway?.close());
  return () => gateway;
}

/** A gateway for one test. */
export async function gatewayFor(
  t: ExecutionContext,
  settings: Partial<GatewayConfig> = {},
  parts: TestParts = {},
): Promise<TestGateway> {
  const gateway = await testGateway(settings, parts);
  t.teardown(() => gateway.close());
  return gateway;
}

export const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
