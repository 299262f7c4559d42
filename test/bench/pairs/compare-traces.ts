import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tracesRatioMax } from '../compare/expectations.js';
import { compareSystems, type CompareSystemsOptions } from './compare-systems.js';
import type { SystemComparison } from './report.js';

/** Measures what traces cost that sample one request in a hundred. */
export async function compareTraces(
  options: Omit<CompareSystemsOptions, 'systems' | 'expected'>,
): Promise<SystemComparison[]> {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  try {
    return await compareSystems({
      ...options,
      systems: [{ name: 'no traces' }, { name: '1 % traced', env }],
      expected: () => tracesRatioMax,
    });
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
}
