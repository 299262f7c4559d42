import { z } from 'zod';
import { samplerNames } from '@roster/telemetry';

const endpoint = z.string().refine(isEndpoint, {
  error: 'must be a URL such as http://collector:4318',
});

/** `name=value` separated by commas, with values in percent-encoding. */
const keyValues = z.string().transform((text, context) => {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const read = pairs.map((pair) => /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair));
  try {
    return Object.fromEntries(
      read.map((pair) => [pair![1]!, decodeURIComponent(pair![2]!.trim())]),
    );
  } catch {
    context.addIssue('must be name=value, separated by commas, with values in percent-encoding');
    return z.NEVER;
  }
});

/** Standard variables of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export const tracingConfig = z.object({
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .optional()
    .describe(
      '`otlp` records traces and sends them to a collector; `none` does not. By default they are recorded if an endpoint is set',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
    .optional()
    .describe(
      'Address of the collector (OTLP as protobuf over HTTP), to which `/v1/traces` is appended; `http://localhost:4318` if only `OTEL_TRACES_EXPORTER` is set',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint
    .optional()
    .describe('Address to which traces are sent, instead of the one above. Nothing is appended'),
  OTEL_EXPORTER_OTLP_HEADERS: keyValues
    .optional()
    .describe(
      'Headers of requests to the collector, such as `authorization=Bearer%20…`, separated by commas',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames)
    .default('parentbased_always_on')
    .describe(
      `Which requests are traced: ${samplerNames.map((name) => `\`${name}\``).join(', ')}. The gateways decide, and the other processes follow. With \`parentbased_\`, the sampled flag of the client's \`traceparent\` decides if it sends one`,
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Which part of the traces `traceidratio` samples, such as `0.01`'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe(
      '`service.name` of the spans, by default `roster-` and the name of the process, such as `roster-gateway`',
    ),
  OTEL_RESOURCE_ATTRIBUTES: keyValues
    .optional()
    .describe(
      'Attributes of the process in its spans, such as `deployment.environment.name=production`, separated by commas',
    ),
  OTEL_SDK_DISABLED: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true` records nothing, whatever the other variables say'),
});

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '';
}
