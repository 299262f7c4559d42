import assert from 'node:assert/strict';
import { jobs } from '../jobs/jobs.js';
import { Connection } from '../load/connection.js';
import { seededRandom } from '../load/random.js';
import type { Bench } from './compare-job.js';

const samples = 20;

/**
 * Asks every contender the same and compares what they say, so that none is fast by answering less. What is made up for
 * each answer is left out.
 */
export async function compareAnswers(name: string, { contenders, dataSet }: Bench): Promise<void> {
  const { requests, writes, consumes } = jobs[name]!;
  // What is deleted is no longer there for the next.
  if (consumes) return;
  const [first, ...others] = await Promise.all(
    contenders.all.map(async ({ port, name: contender }, index) => {
      // Two monoliths share a database, so what must not come twice does not.
      const next = requests({ dataSet, random: seededRandom(7), sequence: index * samples });
      const connection = await Connection.open(port, { keepBodies: true });
      const answers: unknown[] = [];
      for (let n = 0; n < samples; n += 1) {
        const { text, status: expected } = next();
        const { status, body } = await connection.ask(text);
        assert.equal(status, expected, `${contender} answered ${body}`);
        answers.push({ status, body: comparable(JSON.parse(body), writes === true) });
      }
      connection.close();
      return { contender, answers };
    }),
  );
  for (const { contender, answers } of others)
    assert.deepEqual(answers, first!.answers, `${contender} answers ${name} otherwise`);
}

const madeUp = new Set([
  'requestId',
  'createdAt',
  'lastAccessedAt',
  'id',
  'email',
  'name',
  'total',
]);
const alwaysMadeUp = new Set(['requestId', 'title']);

function comparable(value: unknown, writes: boolean): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      (writes ? madeUp : alwaysMadeUp).has(key) || (key === 'detail' && typeof inner === 'string')
        ? undefined
        : inner,
    ),
  ) as unknown;
}
