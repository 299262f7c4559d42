import { fileURLToPath } from 'node:url';
import { compareRecorded } from '@roster/testing';
import test from 'ava';
import { emitOperations, emitTypes } from '../emit/emit-operations.js';

const fileOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

test('types and methods are those of the contracts', (t) => {
  compareRecorded(t, fileOf('types.ts'), emitTypes());
  compareRecorded(t, fileOf('operations.ts'), emitOperations());
});
