import { readFileSync } from 'node:fs';

import test from 'ava';

interface Locked {
  optionalDependencies?: Record<string, string>;
  resolved?: string;
  link?: boolean;
}
const { packages } = JSON.parse(
  readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, Locked> };

// npm omits them from the lock file if its registry lacks them. `npm ci`, which the image build uses, then rejects
// the lock file.
test('package-lock.json lists the optional packages of every platform', (t) => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  );
  t.deepEqual(missing, []);
});

test('package-lock.json contains no registry', (t) => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved && !link);
  t.deepEqual(named, []);
});
