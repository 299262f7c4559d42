import { operations, type Operation } from '@roster/contracts';
import test from 'ava';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../cluster/release.js';

test('every operation is called by a test in the folder of its service', (t) => {
  for (const { name, service } of Object.values(operations) as Operation[]) {
    const tests = globSync(`services/${service}/**/test/**/*.ts`, { cwd: root });
    t.true(
      tests.some((file) => readFileSync(join(root, file), 'utf8').includes(`'${name}'`)),
      `no test calls ${name}: add one in services/${service}/test, whose title is the promise of the operation`,
    );
  }
});
