import assert from 'node:assert/strict';
import { jobs } from '../jobs/jobs.js';
import { Connection } from '../load/connection.js';
import { seededRandom } from '../load/random.js';
import type { Bench } from './bench.js';

const samples = 20;

/**
 * Asks every contender the same and compares what they say, so that none is fast by answering less. What is made up for
 * each answer is left out.
 */
export async function compareAnswers(job: string, { contenders, dataSet }: Bench): Promise<void> {
  const { requests, writes, consumes } = jobs[job]!;
  // What one has deleted is no longer there for the next on the same database.
  if (consumes) return;
  const [first, ...others] = await Promise.all(
    contenders.all.map(async ({ port, name }, index) => {
      // What must not come twice in a database does not.
      const next = requests({ dataSet, random: seededRandom(7), sequence: index * samples });
      const connection = await Connection.open(port, { keepBodies: true });
      const answers: unknown[] = [];
      for (let n = 0; n < samples; n += 1) {
        const { text, status: expected } = next();
        const { status, body } = await connection.ask(text);
        assert.equal(status, expected, `${name} answered ${body}`);
        answers.push(comparable(body, writes === true));
      }
      connection.close();
      return { name, answers };
    }),
  );
  for (const { name, answers } of others)
    assert.deepEqual(answers, first!.answers, `${name} answers ${job} otherwise`);
}

const ofEachAnswer = new Set(['requestId', 'title', 'detail']);
/** Ids and times are given anew, and names and numbers go on with the measurements. */
const ofEachWrite = new Set(['id', 'createdAt', 'lastAccessedAt', 'email', 'name', 'total']);

function comparable(body: string, writes: boolean): unknown {
  return JSON.parse(body, (key, value: unknown) =>
    ofEachAnswer.has(key) || (writes && ofEachWrite.has(key)) ? undefined : value,
  ) as unknown;
}
