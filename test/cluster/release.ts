import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export const processNames = ['contacts', 'users', 'webhooks', 'dispatcher', 'gateway'] as const;
export type ProcessName = (typeof processNames)[number];

/** A build of Roster that can be run. */
export interface Release {
  name: string;
  nodeFlags: string[];
  scriptOf(name: ProcessName): string;
}

/** The build of this checkout. */
export const thisRelease: Release = {
  name: 'this release',
  nodeFlags: nodeFlagsOf(root),
  scriptOf: (name) => scriptIn(root, name),
};

export function nodeFlagsOf(directory: string): string[] {
  const text = readFileSync(join(directory, 'deploy/node-flags'), 'utf8');
  return text.split('\n').filter((line) => line.startsWith('--'));
}

/** The bundle of the process. Releases without bundles run the compiled files. */
export function scriptIn(directory: string, name: ProcessName): string {
  const bundle = join(directory, 'deploy/image/dist/bundles', `${name}.js`);
  if (existsSync(bundle)) return bundle;
  return join(directory, name === 'gateway' ? 'gateway' : `services/${name}`, 'dist/main.js');
}
