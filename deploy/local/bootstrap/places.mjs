import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export const pinnedVersion = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')).dependencies
  .node;

/** The pinned Node, which runs the commands regardless of the Node that started them. */
export const pinnedNode = `${root}/node_modules/node/bin/node`;

/** This environment, with the given node first on the path, for tools that start with `#!/usr/bin/env node`. */
export function environmentFor(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  // Set by the outer npm run: an inner npm would read them as its configuration.
  for (const key of Object.keys(env)) {
    if (/^npm_(package|lifecycle|command$|config_(local_)?prefix$)/.test(key)) delete env[key];
  }
  return env;
}
