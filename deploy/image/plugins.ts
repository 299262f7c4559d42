import { readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { Plugin } from 'esbuild';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

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
  if (!code.includes(helper) && /\b__name=/.test(code))
    throw new Error('esbuild writes its helper for names differently');
  return code.replace(helper, helper.replace('=>', '=>target.name===value?target:'));
}

/** Where the bundles of processes find that of `recorder.ts`. */
export const recorderFile = './recorder.js';

/** Leaves the import of the recorder of traces, with the packages of OpenTelemetry, to those that record traces. */
export const recorderApart: Plugin = {
  name: 'recorder-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/recorder\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: recorderFile, external: true } : undefined,
    );
  },
};

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

/**
 * pino looks for its callers at every start, for transports that are given by relative paths. Roster has none. With source maps, Node
 * parses that of the whole bundle for it, and keeps it in memory.
 */
export const pinoWithoutCallers: Plugin = {
  name: 'pino-without-callers',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/pino\/lib\/caller\.js$/ }, () => ({
      contents: 'module.exports = () => [];',
      loader: 'js',
    }));
  },
};

/**
 * `import` of `node:http` reads all of its exports, and three of them load Node's own undici. Bundles import the others by
 * `process.getBuiltinModule`.
 */
export const httpWithoutUndici: Plugin = {
  name: 'http-without-undici',
  setup({ onLoad, onResolve }) {
    const filter = /^(node:)?http$/;
    onResolve({ filter }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'http' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'http' }, () => ({ contents: httpModule, loader: 'js' }));
  },
};

const httpNames = Object.keys(http).filter(
  (name) => !['CloseEvent', 'MessageEvent', 'WebSocket'].includes(name),
);
const httpModule = `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${httpNames.join(', ')} } = http;`;

interface SourceMap {
  version: 3;
  sources: string[];
  names: string[];
  mappings: string;
}

const isOwn = (source: string | undefined): boolean => !source?.includes('node_modules/');

/**
 * Keeps only Roster's own sources in the source map of a bundle. Node loads the complete map when the first stack
 * trace is read; with the sources of packages, it would use 50 MiB of each process. Stack frames of packages refer to
 * lines of the bundle.
 */
export async function mapOwnSourcesOnly(file: string): Promise<void> {
  const map = JSON.parse(await readFile(file, 'utf8')) as SourceMap;
  const kept = new Map<number, number>();
  for (const [index, source] of map.sources.entries()) {
    if (isOwn(source)) kept.set(index, kept.size);
  }
  const mappings = decode(map.mappings).map((segments) => ownSegments(segments, kept));
  const own: SourceMap = {
    version: 3,
    sources: map.sources.filter(isOwn),
    names: [],
    mappings: encode(mappings),
  };
  await writeFile(file, JSON.stringify(own));
}

/**
 * Marks the start of a package's code with one segment without a source: otherwise Node would attribute it to the
 * preceding source.
 */
function ownSegments(segments: SourceMapSegment[], kept: Map<number, number>): SourceMapSegment[] {
  let inOwn: boolean | undefined;
  return segments.flatMap((segment): SourceMapSegment[] => {
    const [column, source, line, sourceColumn] = segment;
    const index = source === undefined ? undefined : kept.get(source);
    const wasInOwn = inOwn;
    inOwn = index !== undefined;
    if (index !== undefined) return [[column, index, line!, sourceColumn!]];
    return wasInOwn === false ? [] : [[column]];
  });
}
