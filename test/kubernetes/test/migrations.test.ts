import test from 'ava';
import { migrationViolations, type MigrationJob } from '../judge/migrations.js';

const job = (tag: string, image = `roster:${tag}`, status = { succeeded: 1 }): MigrationJob => ({
  metadata: { name: `migrate-${tag}` },
  spec: { template: { spec: { containers: [{ image }] } } },
  status,
});

test('every image migrates with a separate Job, named after its tag', (t) => {
  t.deepEqual(migrationViolations([job('1'), job('2')], ['roster:1', 'roster:2']), []);
  t.deepEqual(migrationViolations([job('1')], ['roster:1', 'roster:2']), [
    'there is no Job migrate-2',
  ]);
  t.deepEqual(migrationViolations([job('1'), job('2')], ['roster:2']), [
    'there is an unexpected Job migrate-1',
  ]);
});

test('a Job that runs another image, or has not succeeded, is a violation', (t) => {
  t.deepEqual(migrationViolations([job('2', 'roster:1')], ['roster:2']), [
    'Job migrate-2 runs roster:1, not roster:2',
  ]);
  t.deepEqual(migrationViolations([{ ...job('2'), status: { active: 1 } }], ['roster:2']), [
    'Job migrate-2 has 0 succeeded and 1 running pods',
  ]);
});
