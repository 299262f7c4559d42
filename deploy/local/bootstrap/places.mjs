import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export const pinnedVersion = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')).dependencies
  .node;

/** The Node that does the work, whichever Node was there to start with. */
export const pinnedNode = `${root}/node_modules/node/bin/node`;

/** This environment, with the given node first on the path, for tools that say `#!/usr/bin/env node`. */
export function environmentFor(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  // Of the npm run around this one: they would be taken for the configuration of an inner one.
  for (const key of Object.keys(env)) {
    if (/^npm_(package|lifecycle|command$|config_(local_)?prefix$)/.test(key)) delete env[key];
  }
  return env;
}
