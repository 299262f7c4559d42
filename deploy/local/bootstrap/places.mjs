import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

const { optionalDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const builds = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));

/** The version of Node that the commands run with. */
export const nodeVersion = builds[0][1];

/** The package that contains Node for this platform; undefined if there is none. */
export const nodePackage = builds
  .map(([name]) => name)
  .find((name) => name === `node-${process.platform}-${process.arch}`);

/** Runs the commands, regardless of the Node that started them; where no package contains it, that one. */
export const pinnedNode = nodePackage
  ? `${root}/node_modules/${nodePackage}/bin/node`
  : process.execPath;

/** This environment, with the given node first on the path, for tools that start with `#!/usr/bin/env node`. */
export function environmentFor(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  // Set by the outer npm run: an inner npm would read them as its configuration.
  for (const key of Object.keys(env)) {
    if (/^npm_(package|lifecycle|command$|config_(local_)?prefix$)/.test(key)) delete env[key];
  }
  return env;
}
