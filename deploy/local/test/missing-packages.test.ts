import test from 'ava';

import { hasDevPackages, missingPackages } from '#missing-packages';

const [os, cpu] = [[process.platform], [process.arch]];
const asked = {
  '': {},
  'libs/bus': { version: '0.1.0' },
  'node_modules/@roster/bus': { link: true },
  'node_modules/nats': { version: '2.29.3' },
  'node_modules/ava': { version: '8.0.1', dev: true },
  'node_modules/@server/here': { version: '2.14.0', optional: true, os, cpu },
  'node_modules/@server/elsewhere': { version: '2.14.0', optional: true, os: ['none'], cpu },
  'node_modules/@server/musl': { version: '1.0.0', optional: true, os, cpu, libc: ['musl'] },
};
const installed = {
  'node_modules/@roster/bus': { link: true },
  'node_modules/nats': { version: '2.29.3' },
  'node_modules/ava': { version: '8.0.1', dev: true },
  'node_modules/@server/here': { version: '2.14.0', optional: true, os, cpu },
};
const without = (name: keyof typeof installed) => {
  const { [name]: _, ...others } = installed;
  return others;
};

test('what npm installs on this platform is complete', (t) => {
  t.deepEqual(missingPackages(asked, installed, 'tests'), []);
  t.deepEqual(missingPackages(asked, installed, 'roster'), []);
});

test('an optional package for this platform that npm left out is missing', (t) => {
  t.deepEqual(missingPackages(asked, without('node_modules/@server/here'), 'roster'), [
    '@server/here',
  ]);
});

test('a package in another version than the locked one is missing', (t) => {
  const there = { ...installed, 'node_modules/nats': { version: '2.29.2' } };
  t.deepEqual(missingPackages(asked, there, 'roster'), ['nats']);
});

test('devDependencies are missing for tests only', (t) => {
  const there = without('node_modules/ava');
  t.deepEqual(missingPackages(asked, there, 'roster'), []);
  t.deepEqual(missingPackages(asked, there, 'tests'), ['ava']);
  t.false(hasDevPackages(there));
  t.true(hasDevPackages(installed));
});
