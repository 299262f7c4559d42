import { execFile, spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import test, { type ExecutionContext } from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import {
  clientFolder,
  compile,
  compilers,
  emptyProject,
  environments,
  installed,
  outputOf,
  packClient,
  root,
} from './installed-package.js';

const run = promisify(execFile);

/** A project with the package and the program. */
async function project(t: ExecutionContext): Promise<string> {
  const folder = await emptyProject(t);
  await cp(join(root, 'test/client/typed-program.ts'), join(folder, 'program.ts'));
  await writeFile(
    join(folder, 'main.js'),
    `import { run } from './program.js';
    const { BASE_URL, API_KEY } = process.env;
    console.log(await run(BASE_URL, API_KEY));`,
  );
  return folder;
}

const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

test('the package compiles in an empty project with TypeScript 5.9 and 7, for Node and for browsers', async (t) => {
  t.timeout(300_000);
  const folder = await project(t);
  for (const [name, compiler] of Object.entries(compilers))
    for (const [resolution, resolving] of Object.entries(resolutions))
      for (const [environment, globals] of Object.entries(environments)) {
        const printed = await compile(folder, compiler, { ...resolving, ...globals });
        t.is(printed, '', `${name}, ${resolution}, ${environment}`);
      }
});

/** Node 20, if it is installed. */
function node20(): string | undefined {
  const { NODE_20, npm_node_execpath: given } = process.env;
  return [NODE_20, given, '/usr/bin/node', 'node'].find(
    (path) => path && spawnSync(path, ['--version']).stdout?.toString().startsWith('v20.'),
  );
}

test('the package runs in an empty project on Node 24 and 20, in a browser and in a worker', async (t) => {
  const roster = await sharedRoster(t);
  const folder = await project(t);
  t.is(await compile(folder), '');
  const env = { BASE_URL: roster.baseUrl, API_KEY: roster.apiKey };
  t.is(await outputOf(process.execPath, ['main.js'], folder, env), 'done\n');
  const old = node20();
  if (old) t.is(await outputOf(old, ['main.js'], folder, env), 'done\n');
  else t.log('not tested here: Node 20 is absent, set NODE_20');

  const options = ['--bundle', '--platform=browser', '--format=iife', '--global-name=program'];
  const bundling = ['program.js', ...options, '--outfile=bundle.js', '--log-level=warning'];
  t.is(await outputOf(installed('.bin/esbuild'), bundling, folder), '');
  const bundle = await readFile(join(folder, 'bundle.js'), 'utf8');
  t.notRegex(bundle, /\brequire\(|node:|\bprocess\b|\bBuffer\b/);
  for (const place of ['browser', 'worker']) {
    const sent: Headers[] = [];
    const context = createContext({
      ...webGlobals(),
      fetch(url: string, init: RequestInit) {
        sent.push(new Headers(init.headers));
        return fetch(url, init);
      },
      ...(place === 'browser' && { location: { origin: 'https://app.example.com' } }),
    });
    runInContext(bundle, context);
    const call = `program.run(${JSON.stringify(roster.baseUrl)}, ${JSON.stringify(roster.apiKey)})`;
    t.is(await (runInContext(call, context) as Promise<string>), 'done', place);
    // Browsers ask the server for permission of a header that a page sets.
    const isNamed = sent.some((headers) => headers.has('user-agent'));
    t.is(isNamed, place === 'worker');
  }
});

/** What every browser and worker has, and nothing of Node. */
const webGlobals = () => ({
  ...{
    AbortController,
    AbortSignal,
    Blob,
    Headers,
    ReadableStream,
    Response,
    URL,
    URLSearchParams,
  },
  ...{ TextDecoder, TextEncoder, atob, btoa, clearTimeout, crypto, setTimeout },
});

test('the package has nothing that publint and attw complain of, and no file but its own', async (t) => {
  const packed = await packClient(t);
  const node = (path: string, ...args: string[]) =>
    run(process.execPath, [installed(path), ...args], { cwd: clientFolder });
  t.regex((await node('publint/src/cli.js', 'run', packed, '--strict')).stdout, /All good!/);
  const attw = node('@arethetypeswrong/cli/dist/index.js', packed, '--profile', 'esm-only');
  await t.notThrowsAsync(attw);
  const { stdout } = await run('tar', ['-tzf', packed]);
  const files = stdout.trim().split('\n');
  const others = files.filter((path) => !/^package\/dist\/[\w-]+\.(?:js|d\.ts)$/.test(path));
  const names = ['LICENSE', 'README.md', 'package.json'].map((name) => `package/${name}`);
  t.deepEqual(others.toSorted(), names);
});

test('a client has at most 6,144 bytes of gzip, and the verifier 2,048, also from the index', async (t) => {
  const args = [installed('size-limit/bin.js'), '--json'];
  const sizes = JSON.parse(await outputOf(process.execPath, args, clientFolder)) as {
    name: string;
    size: number;
    passed: boolean;
  }[];
  t.is(sizes.length, 3);
  for (const { name, size, passed } of sizes) {
    t.log(`${name}: ${size} bytes`);
    t.true(passed, name);
  }
});
