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

test('all contenders receive the same requests', (t) => {
  for (const job of Object.keys(jobs)) t.deepEqual(requestsOf(job, 200), requestsOf(job, 200), job);
});

test('the Content-Length of every request is that of its body', (t) => {
  for (const job of Object.keys(jobs)) {
    for (const text of requestsOf(job, 50)) {
      const [head, body] = text.split('\r\n\r\n') as [string, string];
      t.regex(head, /^(GET|POST|PUT|DELETE) \/\S+ HTTP\/1\.1\r\n/);
      const length = /Content-Length: (\d+)/.exec(head)?.[1] ?? '0';
      t.is(Buffer.byteLength(body), Number(length), job);
    }
  }
});

test('created contacts have unique addresses, across measurements', (t) => {
  const first = requestsOf('create', 1000, { sequence: 0 });
  const second = requestsOf('create', 1000, { sequence: 1000 });
  const addresses = [...first, ...second].map((text) => /"email":"([^"]+)"/.exec(text)![1]);
  t.is(new Set(addresses).size, 2000);
});

test('no contact is deleted twice', (t) => {
  const first = requestsOf('delete', 1000, { sequence: 0 });
  const second = requestsOf('delete', 1000, { sequence: 1000 });
  t.is(new Set([...first, ...second]).size, 2000);
});

test('half of the requests of a Zipf load are for a thousandth of the contacts', (t) => {
  const counts = new Map<string, number>();
  for (const text of requestsOf('get-zipf', 20_000)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const most = [...counts.values()].toSorted((a, b) => b - a).slice(0, 1000);
  const share = most.reduce((sum, count) => sum + count, 0) / 20_000;
  t.true(share > 0.45 && share < 0.65, `${share}`);
});

test('the contracts accept the keys and IDs of the data set', (t) => {
  const keys = [1, 2, 1999].map(apiKeyOf);
  t.is(new Set(keys).size, 3);
  for (const key of keys) t.true(keyShape.test(key) && hasValidChecksum(key));
  const { input } = operations['contacts.get'];
  for (const id of [contactId(1, 0), contactId(1999, 9_999_999)])
    t.deepEqual(input.parse({ contactId: id }), { contactId: id });
});
