import { readFile } from 'node:fs/promises';

import type { Plugin } from 'esbuild';

const required = /createRequire\(import\.meta\.url\)(?=\(\s*['"])/g;

/**
 * Bundles modules that Roster's own code loads with `createRequire(import.meta.url)('…')`: esbuild only follows the
 * `require` of CommonJS.
 */
export const inlineRequired: Plugin = {
  name: 'inline-required',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/.*\.js$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const text = await readFile(path, 'utf8');
      // The length of the text is kept, so that the source map remains correct.
      const contents = text.replaceAll(required, (found) => 'require'.padEnd(found.length));
      return { contents, loader: 'js' };
    });
  },
};
