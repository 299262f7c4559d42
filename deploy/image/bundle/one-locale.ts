import type { Plugin } from 'esbuild';

/** Zod's messages in fifty languages, of which nobody here asks for any but the default, are a tenth of a bundle. */
export const oneLocale: Plugin = {
  name: 'one-locale',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      loader: 'js',
    }));
  },
};
