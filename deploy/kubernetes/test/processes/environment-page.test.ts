import { join } from 'node:path';

import { compareRecorded } from '@roster/testing';
import test from 'ava';

import { environmentPage } from './environment-page.js';

test('the page of environment variables lists those that the processes read, with their defaults', (t) => {
  compareRecorded(t, join(import.meta.dirname, '../../../../environment.md'), environmentPage());
});
