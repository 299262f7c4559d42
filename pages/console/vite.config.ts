import react from '@vitejs/plugin-react';
import { relative } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const root = new URL('../..', import.meta.url).pathname;

/** Lists the modules of packages in the build: their licences are part of the image. */
const listModules: Plugin = {
  name: 'list-modules',
  generateBundle() {
    const ids = [...this.getModuleIds()].filter((id) => /^[^\0].*\/node_modules\//.test(id));
    const source = JSON.stringify(ids.map((id) => relative(root, id)).toSorted());
    this.emitFile({ type: 'asset', fileName: '.vite/modules.json', source });
  },
};

// oxlint-disable-next-line import/no-default-export -- Vite takes it as the default.
export default defineConfig({
  // The gateway can be mounted below any path.
  base: './',
  plugins: [react(), listModules],
  // GraphiQL requires React 18, which is therefore the one at the root of the repository.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    // `data:` is allowed for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    cssTarget: 'chrome123',
    reportCompressedSize: false,
  },
});
