import { isDeepStrictEqual } from 'node:util';
import type { Contender } from '../contenders/contender.js';
import { jobs } from '../jobs/jobs.js';
import { Connection } from '../load/connection.js';
import { seededRandom } from '../load/random.js';
import type { Bench } from './bench.js';

const samples = 20;

/**
 * Asks every contender the same and compares what they say, so that none is fast by answering less. What is made up for
 * each answer is left out. To be called before anything else has changed their databases.
 */
export async function compareAnswers(job: string, bench: Bench): Promise<void> {
  const { writes, consumes } = jobs[job]!;
  // There is nothing to consume yet.
  if (consumes) return;
  const { all, monoliths, roster } = bench.contenders;
  // The monoliths share a database: only one of them can change the same as Roster does.
  const [first, ...others] = writes ? [monoliths[0]!, roster] : all;
  const expected = await answersOf(first!, job, bench);
  for (const other of others) {
    const answers = await answersOf(other, job, bench);
    const at = answers.findIndex((answer, index) => !isDeepStrictEqual(answer, expected[index]));
    if (at === -1) continue;
    const [one, two] = [expected[at], answers[at]].map((answer) => JSON.stringify(answer));
    throw new Error(`${job}: ${first!.name} answers\n${one}\nand ${other.name}\n${two}`);
  }
}

async function answersOf({ name, port }: Contender, job: string, { dataSet }: Bench) {
  const { requests, writes } = jobs[job]!;
  const next = requests({ dataSet, random: seededRandom(7), sequence: 0 });
  const connection = await Connection.open(port, { keepBodies: true });
  const answers: unknown[] = [];
  for (let n = 0; n < samples; n += 1) {
    const { text, status: expected } = next();
    const { status, body } = await connection.exchange(text);
    if (status !== expected)
      throw new Error(`${job}: ${name} answered ${status}, not ${expected}: ${body}`);
    answers.push(comparable(body, writes === true));
  }
  connection.close();
  return answers;
}

const ofEachAnswer = new Set(['requestId', 'title', 'detail']);
/** Given anew by each. */
const ofEachWrite = new Set(['id', 'createdAt', 'lastAccessedAt']);

function comparable(body: string, writes: boolean): unknown {
  return JSON.parse(body, (key, value: unknown) =>
    ofEachAnswer.has(key) || (writes && ofEachWrite.has(key)) ? undefined : value,
  ) as unknown;
}
