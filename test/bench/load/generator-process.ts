/** Generates load in a separate process, so that load and measurement do not delay each other. */
import { setTimeout as delay } from 'node:timers/promises';
import { graphqlJobs } from '../graphql/graphql-jobs.js';
import type { Job } from '../jobs/job.js';
import { jobs } from '../jobs/jobs.js';
import { closedLoop } from './closed-loop.js';
import type { LoadOrder, LoadReport } from './generator.js';
import type { Span } from './load.js';
import { openLoop } from './open-loop.js';
import { seededRandom } from './random.js';
import type { Outcome } from './tally.js';

process.on('message', (order: LoadOrder) => {
  load(order).then(
    (outcome) => report({ type: 'done', outcome }),
    (error: Error) => report({ type: 'failed', message: String(error.stack) }),
  );
});
process.on('disconnect', () => process.exit());

const all: Record<string, Job> = { ...jobs, ...graphqlJobs };

function load({
  job,
  dataSet,
  ports,
  shape,
  seed,
  sequence,
  ...times
}: LoadOrder): Promise<Outcome> {
  const random = seededRandom(seed);
  const next = all[job]!.requests({ dataSet, random, sequence });
  const span = spanOf(times);
  return 'clients' in shape
    ? closedLoop(ports, shape.clients, next, span)
    : openLoop(ports[0]!, shape, next, seededRandom(seed + 1), span);
}

function spanOf({ warmSeconds, seconds }: { warmSeconds: number; seconds: number }): Span {
  return {
    warmSeconds,
    seconds,
    totalMs: (warmSeconds + seconds) * 1000,
    async run(work) {
      await delay(warmSeconds * 1000);
      report({ type: 'began' });
      await delay(seconds * 1000);
      report({ type: 'ended' });
      await work;
    },
  };
}

function report(message: LoadReport): void {
  process.send?.(message);
}
