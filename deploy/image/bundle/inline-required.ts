import { readFile } from 'node:fs/promises';

import type { Plugin } from 'esbuild';

const required = /createRequire\(import\.meta\.url\)(?=\(\s*['"])/g;

/**
 * Takes what Roster's own modules require by `createRequire(import.meta.url)('…')` into the bundle. esbuild follows no
 * `require` but the one that CommonJS has.
 */
export const inlineRequired: Plugin = {
  name: 'inline-required',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/.*\.js$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const text = await readFile(path, 'utf8');
      // As long as before, so that the map of the file stays right.
      const contents = text.replaceAll(required, (found) => 'require'.padEnd(found.length));
      return { contents, loader: 'js' };
    });
  },
};
