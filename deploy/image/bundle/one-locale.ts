import type { Plugin } from 'esbuild';

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
