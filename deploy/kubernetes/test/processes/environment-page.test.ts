import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import test from 'ava';

import { environmentPage } from './environment-page.js';

const file = join(import.meta.dirname, '../../../../environment.md');

test('the page of environment variables lists those that the processes read, with their defaults', (t) => {
  const page = environmentPage();
  if (process.env.RECORD_ENVIRONMENT) writeFileSync(file, page);
  t.is(
    readFileSync(file, 'utf8'),
    page,
    'deploy/environment.md: RECORD_ENVIRONMENT=1 npm test -- deploy/kubernetes/test/processes/environment-page.test.ts',
  );
});
