import { requiresNaming } from '@roster/contracts';
import { compareRecorded } from '@roster/testing';
import test from 'ava';
import { readFile } from 'node:fs/promises';
import { printedReference, referenceFile } from './printed-reference.js';
import { methodsOf, restOperations } from '../../rest/rest-operations.js';
import { refusalStatus } from '../../http/refusal.js';

const reference = await readFile(referenceFile, 'utf8');
const tokensGuide = await readFile(
  new URL('../../../guides/browser-tokens.md', import.meta.url),
  'utf8',
);

test('the reference lists every operation as in the contracts', (t) => {
  compareRecorded(t, referenceFile, printedReference());
  for (const operation of restOperations) {
    const methods = methodsOf(operation).join(', ');
    t.true(reference.includes(`| \`${methods} ${operation.http.path}\` |`), operation.name);
  }
});

test('the guide of browser tokens lists every operation that they must name', (t) => {
  const row = tokensGuide.split('\n').find((line) => line.startsWith('- **Secrets and members**'))!;
  const listed = row.slice(row.indexOf('name them: ')).match(/(?<=`)[a-z-]+\.[a-z-]+(?=`)/g)!;
  const named = restOperations.filter((one) => requiresNaming(one) && !one.requiresKey);
  t.deepEqual(listed.toSorted(), named.map(({ name }) => name).toSorted());
});

test('the reference lists every code with its status', (t) => {
  for (const [code, status] of Object.entries(refusalStatus)) {
    t.regex(reference, new RegExp(`\`${code}\` (?:\\| ${status} \\||\\(${status}[,)])`));
  }
});
