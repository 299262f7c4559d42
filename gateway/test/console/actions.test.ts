import { auditActions } from '@roster/contracts';
import test from 'ava';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../../../pages/console/src/screens/audit/actions.ts');

test('the audit log of the console can be filtered by every action that is recorded', (t) => {
  const listed = readFileSync(file, 'utf8').match(/(?<=^ {2}')[\w.]+(?=',$)/gm);
  t.deepEqual(listed?.toSorted(), auditActions.toSorted());
});
