import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tracesRatioMax } from '../compare/expectations.js';
import type { Contender } from '../contenders/contender.js';
import type { DataSet } from '../data/data-set.js';
import { jobs } from '../jobs/jobs.js';
import { Connection } from '../load/connection.js';
import { seededRandom } from '../load/random.js';
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
      prepare: sendTraced,
    });
  } finally {
    collector.closeAllConnections();
    collector.close();
  }
}

const tracedRequests = 10_000;
const connections = 16;
/** Far from those of the measurements. */
const sequence = 1_000_000_000;

/**
 * Requests that all are sampled where traces are recorded. V8 compiles what is executed often: with one request in a hundred, the
 * code of traces would be compiled for the first minutes of a system, which are not what is measured.
 */
async function sendTraced({ port }: Contender, job: string, dataSet: DataSet): Promise<void> {
  const next = jobs[job]!.requests({ dataSet, random: seededRandom(7), sequence });
  let left = tracedRequests;
  const header = `\r\ntraceparent: 00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\r\n`;
  const send = async () => {
    const connection = await Connection.open(port);
    while ((left -= 1) >= 0) await connection.exchange(next().text.replace('\r\n', header));
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, send));
}
