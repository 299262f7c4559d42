import { FailureLog } from '@roster/bus';
import { releaseVersion } from '@roster/contracts';
import { startTracing, type TracingOptions } from '@roster/telemetry';
import { Counter, type Registry } from 'prom-client';
import type { z } from 'zod';
import type { Log } from './log.js';
import type { tracingConfig } from './tracing-config.js';

type TracingConfig = z.output<typeof tracingConfig>;

interface Traced {
  name: string;
  config: TracingConfig;
  log: Log;
  metrics: Registry;
  onShutdown: (step: () => unknown) => void;
}

/** Records traces if the environment says so, and exports the last ones at the end of the shutdown. */
export async function traceIfConfigured({
  name,
  config,
  log,
  metrics,
  onShutdown,
}: Traced): Promise<void> {
  const dropped = new Counter({
    name: 'roster_trace_spans_dropped_total',
    help: 'Spans of traces that were not exported, by reason.',
    labelNames: ['reason'],
    registers: [metrics],
  });
  const url = endpointOf(config);
  if (url === undefined) return;
  const failures = new FailureLog(log, 'failed to export traces; their spans are dropped');
  const options: TracingOptions = {
    url,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    resource: {
      'service.name': `roster-${name}`,
      'service.version': releaseVersion,
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      ...(config.OTEL_SERVICE_NAME !== undefined && { 'service.name': config.OTEL_SERVICE_NAME }),
    },
    onDropped(spans, reason, error) {
      dropped.inc({ reason }, spans);
      if (reason === 'not_exported') failures.warn(new Error(error?.message));
    },
  };
  onShutdown(await startTracing(options));
  log.info({ sampler: options.sampler }, 'traces are recorded');
}

/** Undefined if no traces are recorded. */
function endpointOf(config: TracingConfig): string | undefined {
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: base } = config;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = config;
  if (config.OTEL_SDK_DISABLED === 'true' || exporter === 'none') return undefined;
  if (own !== undefined) return own;
  if (base !== undefined) return `${base.replace(/\/$/, '')}/v1/traces`;
  return exporter === 'otlp' ? 'http://localhost:4318/v1/traces' : undefined;
}
