import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareRecorded } from '@roster/testing';
import test from 'ava';
import { root } from '../../cluster/release.js';
import { sizingPage, type StoredResults } from '../sizing-page.js';

test('the page of sizing shows the stored results', (t) => {
  const stored = readFileSync(join(root, 'test/bench/results.json'), 'utf8');
  compareRecorded(
    t,
    join(root, 'deploy/sizing.md'),
    sizingPage(JSON.parse(stored) as StoredResults),
  );
});
