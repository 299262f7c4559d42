import { keyShape, hasValidChecksum, operations } from '@roster/contracts';
import test from 'ava';
import { apiKeyOf, contactId, dataSetOf } from '../data/data-set.js';
import { jobs } from '../jobs/jobs.js';
import { seededRandom } from '../load/random.js';

const dataSet = dataSetOf(1_000_000);

function requestsOf(job: string, count: number, { seed = 1, sequence = 0 } = {}): string[] {
  const next = jobs[job]!.requests({ dataSet, random: seededRandom(seed), sequence });
  return Array.from({ length: count }, () => next().text);
}

test('all contenders are asked the same', (t) => {
  for (const job of Object.keys(jobs)) t.deepEqual(requestsOf(job, 200), requestsOf(job, 200), job);
});

test('requests are whole: their bodies are as long as they say', (t) => {
  for (const job of Object.keys(jobs)) {
    for (const text of requestsOf(job, 50)) {
      const [head, body] = text.split('\r\n\r\n') as [string, string];
      t.regex(head, /^(GET|POST|PUT|DELETE) \/\S+ HTTP\/1\.1\r\n/);
      const length = /Content-Length: (\d+)/.exec(head)?.[1] ?? '0';
      t.is(Buffer.byteLength(body), Number(length), job);
    }
  }
});

test('what is created has an address of its own, in every measurement', (t) => {
  const first = requestsOf('create', 1000, { sequence: 0 });
  const second = requestsOf('create', 1000, { sequence: 1000 });
  const addresses = [...first, ...second].map((text) => /"email":"([^"]+)"/.exec(text)![1]);
  t.is(new Set(addresses).size, 2000);
});

test('nothing is deleted twice', (t) => {
  const first = requestsOf('delete', 1000, { sequence: 0 });
  const second = requestsOf('delete', 1000, { sequence: 1000 });
  t.is(new Set([...first, ...second]).size, 2000);
});

test('half of a Zipf load asks for a thousandth of the contacts', (t) => {
  const counts = new Map<string, number>();
  for (const text of requestsOf('get-zipf', 20_000)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const most = [...counts.values()].toSorted((a, b) => b - a).slice(0, 1000);
  const share = most.reduce((sum, count) => sum + count, 0) / 20_000;
  t.true(share > 0.45 && share < 0.65, `${share}`);
});

test('the keys and ids of the data set are what the contracts take', (t) => {
  const keys = [1, 2, 1999].map(apiKeyOf);
  t.is(new Set(keys).size, 3);
  for (const key of keys) t.true(keyShape.test(key) && hasValidChecksum(key));
  const { input } = operations['contacts.get'];
  for (const id of [contactId(1, 0), contactId(1999, 9_999_999)])
    t.deepEqual(input.parse({ contactId: id }), { contactId: id });
});
