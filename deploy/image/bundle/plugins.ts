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

/** The function that esbuild adds for `keepNames`, as it writes it. */
const helper = '__name=(target,value)=>__defProp(target,"name",{value,configurable:!0})';

/**
 * esbuild defines the name of every function again, each time it is created, although it has renamed only a few: 0.18 µs for each
 * inner function of a request. Functions that have their name already are left as they are. Source maps stay valid, because the
 * line of the helper contains no other sources.
 */
export function nameRenamedOnly(code: string): string {
  if (!code.includes(helper)) throw new Error('esbuild writes its helper for names differently');
  return code.replace(helper, helper.replace('=>', '=>target.name===value?target:'));
}

/** Zod contains messages in fifty languages, a tenth of a bundle. Only the default is used. */
export const oneLocale: Plugin = {
  name: 'one-locale',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};
