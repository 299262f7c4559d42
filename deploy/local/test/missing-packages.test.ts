import test from 'ava';

import { announcement, hasDevPackages, missingPackages } from '#missing-packages';

const [os, cpu, engines] = [[process.platform], [process.arch], { node: '>=22' }];
const locked = {
  '': {},
  'libs/bus': { version: '0.1.0' },
  'node_modules/@roster/bus': { link: true },
  'node_modules/nats': { version: '2.29.3' },
  'node_modules/ava': { version: '8.0.1', dev: true },
  'node_modules/knip': { version: '6.44.2', dev: true },
  'node_modules/@server/here': { version: '2.14.0', optional: true, os, cpu, engines },
  'node_modules/@server/elsewhere': { version: '2.14.0', optional: true, os: ['none'], cpu },
  'node_modules/@server/musl': { version: '1.0.0', optional: true, os, cpu, libc: ['musl'] },
};
const installed = {
  'node_modules/@roster/bus': { link: true },
  'node_modules/nats': { version: '2.29.3' },
  'node_modules/ava': { version: '8.0.1', dev: true },
  'node_modules/knip': { version: '6.44.2', dev: true },
  'node_modules/@server/here': { version: '2.14.0', optional: true, os, cpu },
};
type Path = keyof typeof installed;
const without = (...paths: Path[]) =>
  Object.fromEntries(Object.entries(installed).filter(([path]) => !paths.includes(path as Path)));
const withoutDev = without('node_modules/ava', 'node_modules/knip');
const missing = (there: Parameters<typeof missingPackages>[1], needs: 'roster' | 'tests') =>
  missingPackages(locked, there, needs).map(({ name }) => name);
const announced = (there: Parameters<typeof missingPackages>[1], needs: 'roster' | 'tests') =>
  announcement(there, missingPackages(locked, there, needs));

test('what npm installs on this platform is complete', (t) => {
  t.deepEqual(missing(installed, 'tests'), []);
  t.deepEqual(missing(installed, 'roster'), []);
});

test('an optional package for this platform that npm omitted is missing', (t) => {
  t.deepEqual(missing(without('node_modules/@server/here'), 'roster'), ['@server/here']);
});

test('a package in another version than the locked one is missing', (t) => {
  t.deepEqual(missing({ ...installed, 'node_modules/nats': { version: '2.29.2' } }, 'roster'), [
    'nats',
  ]);
});

test('devDependencies are missing for tests only', (t) => {
  t.deepEqual(missing(withoutDev, 'roster'), []);
  t.deepEqual(missing(withoutDev, 'tests'), ['ava', 'knip']);
  t.false(hasDevPackages(withoutDev));
  t.true(hasDevPackages(installed));
});

test('the first installation, and the later one for tests, are announced as such', (t) => {
  t.is(announced({}, 'roster'), 'Installing dependencies…');
  t.is(announced({}, 'tests'), 'Installing dependencies…');
  t.is(announced(withoutDev, 'tests'), 'Installing the dependencies of tests and checks…');
});

test('a package that npm omitted is announced with the Node it requires', (t) => {
  t.is(
    announced(without('node_modules/@server/here'), 'tests'),
    'Installing @server/here, omitted by npm (requires Node >=22)…',
  );
});

test('other missing or outdated packages are announced by name', (t) => {
  const outdated = { 'node_modules/@server/here': { version: '2.13.0', optional: true, os, cpu } };
  t.is(announced({ ...installed, ...outdated }, 'tests'), 'Installing @server/here…');
  t.is(
    announced(without('node_modules/nats', 'node_modules/@server/here'), 'tests'),
    'Installing nats and 1 more…',
  );
  t.is(announced(without('node_modules/ava'), 'tests'), 'Installing ava…');
});
