import react from '@vitejs/plugin-react';
import { relative } from 'node:path';
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite';
import { firstRequests } from './src/data/first-requests.js';

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

/** Names the files of each screen in the page, and what it asks the API first: boot.js asks for both before the scripts are there. */
const listScreens: Plugin = {
  name: 'list-screens',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === 'chunk');
      const chunkOf = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const ofPage = filesOf(chunks.find(({ isEntry }) => isEntry)?.fileName ?? '', chunkOf);
      const screens = chunks.flatMap(({ facadeModuleId, fileName }): [string, string[]][] => {
        const [, name] = /\/screens\/([a-z]+)\/\1\.tsx$/.exec(facadeModuleId ?? '') ?? [];
        if (name === undefined) return [];
        return [[name, [...filesOf(fileName, chunkOf).difference(ofPage)]]];
      });
      const meta = (name: string, content: unknown): HtmlTagDescriptor => ({
        ...{ tag: 'meta', attrs: { name, content: JSON.stringify(content) } },
        injectTo: 'head-prepend',
      });
      return [meta('screens', Object.fromEntries(screens)), meta('requests', firstRequests)];
    },
  },
};

type Chunk = Extract<Rolldown.OutputBundle[string], { type: 'chunk' }>;

/** A chunk, its styles, and those of the chunks that it imports. */
function filesOf(fileName: string, chunkOf: ReadonlyMap<string, Chunk>, found = new Set<string>()) {
  const chunk = chunkOf.get(fileName);
  if (!chunk || found.has(fileName)) return found;
  found.add(fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  for (const imported of chunk.imports) filesOf(imported, chunkOf, found);
  return found;
}

// oxlint-disable-next-line import/no-default-export -- Vite takes it as the default.
export default defineConfig({
  // The gateway can be mounted below any path.
  base: './',
  plugins: [react(), listModules, listScreens],
  // GraphiQL requires React 18, which is therefore the one at the root of the repository.
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    // `data:` is allowed for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    cssTarget: 'chrome123',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What screens share is one file: over HTTP/1.1, a browser asks for six at a time.
        codeSplitting: {
          groups: [{ name: 'shared', test: /\/src\/(?:data|parts)\/|lucide/, minShareCount: 2 }],
        },
      },
    },
  },
});
