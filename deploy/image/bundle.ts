/**
 * `npm run build` of this package: creates one file per process from the output of `tsc`, a source map for Roster's
 * sources, and a list of the bundled packages with their licences. `npm start`, the system tests and the image run
 * these files.
 */
import { builtinModules } from 'node:module';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type BuildOptions, type Metafile } from 'esbuild';

import { copyAssets, bundledPackages, licenceTexts, bom } from './packages.js';
import {
  httpWithoutUndici,
  inlineRequired,
  nameRenamedOnly,
  oneLocale,
  pinoWithoutCallers,
  recorderApart,
  recorderFile,
  mapOwnSourcesOnly,
} from './plugins.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const dist = fileURLToPath(new URL('.', import.meta.url));
const bundles = join(dist, 'bundles');

const processes = {
  gateway: fileURLToPath(import.meta.resolve('@roster/gateway')),
  contacts: fileURLToPath(import.meta.resolve('@roster/contacts')),
  users: fileURLToPath(import.meta.resolve('@roster/users')),
  webhooks: fileURLToPath(import.meta.resolve('@roster/webhooks')),
  dispatcher: fileURLToPath(import.meta.resolve('@roster/dispatcher')),
  // A file of its own: processes load it only if they record traces.
  recorder: fileURLToPath(import.meta.resolve('@roster/telemetry/recorder')),
};
/** `npm run roster`: the main export of its package is `npm start`. */
const commandLine = {
  roster: fileURLToPath(new URL('roster.js', import.meta.resolve('@roster/local'))),
  // Changes with all that it loads, whose files are named by their digests: `npm start` compares it.
  operator: fileURLToPath(new URL('operator.js', import.meta.resolve('@roster/local'))),
};

/** Optional imports of packages. Whether they are installed must not change a bundle. */
const absent = [
  'bufferutil',
  // type-graphql imports it if `buildSchema` is configured to validate with it.
  'class-validator',
  'dataloader',
  'pg-native',
  'supports-color',
  'tinyglobby',
  'utf-8-validate',
];

await rm(bundles, { recursive: true, force: true });
// The compiled code of the former bundles, which `npm start` keeps.
await rm(join(dist, 'compile-cache'), { recursive: true, force: true });
const options = {
  absWorkingDir: root,
  outdir: bundles,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // CommonJS packages load modules of Node with `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
  external: absent,
  plugins: [httpWithoutUndici, inlineRequired, oneLocale, pinoWithoutCallers, recorderApart],
  keepNames: true,
  // V8 keeps the text of a file in memory. Identifiers are kept for readable stack traces. Line breaks are kept
  // because Node prints the source line of an uncaught error.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  legalComments: 'none',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;
const builds = [
  await build({ ...options, entryPoints: processes }),
  // What a command does not need is not read: in one file, its imports of Node alone would be loaded at every start.
  await build({
    ...options,
    entryPoints: commandLine,
    splitting: true,
    chunkNames: 'commands/[name]-[hash]',
  }),
];
const outputs = builds.flatMap(({ metafile }) => Object.keys(metafile.outputs));
const scripts = outputs.filter((file) => file.endsWith('.js'));
for (const { metafile } of builds) refuseOutsideImports(metafile);
for (const script of scripts) {
  const file = join(root, script);
  const code = await readFile(file, 'utf8');
  refuseBeyondAscii(script, code);
  await writeFile(file, nameRenamedOnly(code));
}

const assets = await copyAssets(root, bundles);
// What Vite built the console from.
const ofConsole = JSON.parse(
  await readFile(join(root, 'pages/console/dist/.vite/modules.json'), 'utf8'),
) as string[];
const packages = bundledPackages(root, [...builds.flatMap(filesIn), ...assets, ...ofConsole]);
await Promise.all([
  ...scripts.map((file) => mapOwnSourcesOnly(join(root, `${file}.map`))),
  writeFile(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bom(root, packages), null, 2)}\n`),
  writeFile(join(dist, 'THIRD_PARTY_LICENCES'), licenceTexts(root, packages)),
]);

/** Every file that contributed to a bundle. */
function filesIn({ metafile: { outputs } }: { metafile: Metafile }): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
}

/** V8 stores a file with a single character beyond Latin-1 with two bytes per character. */
function refuseBeyondAscii(name: string, text: string): void {
  const at = text.search(/[^\0-\x7F]/);
  if (at < 0) return;
  const place = text.slice(Math.max(0, at - 80), at + 20);
  throw new Error(
    `${name} contains a character beyond ASCII, which esbuild did not escape: …${place}…`,
  );
}

/** Every import must be part of the bundle or of Node: no other file is present at run time. */
function refuseOutsideImports({ inputs }: Metafile): void {
  const known = new Set([...builtinModules, ...absent, recorderFile, '<runtime>']);
  const outside = Object.entries(inputs).flatMap(([importer, { imports }]) =>
    imports
      .filter(({ external, path }) => external && !path.startsWith('node:') && !known.has(path))
      .map(({ path }) => `${importer} imports ${path}, which is not bundled.`),
  );
  if (outside.length > 0) throw new Error(outside.join('\n'));
}
