import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { sharedRoster } from './running-roster.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../../clients/typescript/', import.meta.url));
const program = (path: string) => join(folder, 'node_modules', path);

const options = {
  compilerOptions: {
    ...{ target: 'es2023', module: 'nodenext', types: ['node'], skipLibCheck: false },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  },
  files: ['client.ts'],
};

test('types from the OpenAPI document accept a strict program, refuse wrong calls, and describe what is answered', async (t) => {
  t.timeout(180_000);
  const roster = await sharedRoster(t);
  await mkdir(join(folder, 'dist'), { recursive: true });
  // Within the package, where its dependencies are found.
  const work = await mkdtemp(join(folder, 'dist/'));
  t.teardown(() => rm(work, { recursive: true, force: true }));
  const document = await fetch(`${roster.baseUrl}/v1/openapi.json`);
  await writeFile(join(work, 'openapi.json'), await document.text());
  await writeFile(join(work, 'tsconfig.json'), JSON.stringify(options));
  await cp(join(folder, 'client.ts'), join(work, 'client.ts'));

  const node = async (...args: string[]) => {
    const env = { ...process.env, BASE_URL: roster.baseUrl, API_KEY: roster.apiKey };
    try {
      return (await run(process.execPath, args, { cwd: work, env })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return stdout + stderr;
    }
  };
  const generator = program('openapi-typescript/bin/cli.js');
  t.regex(await node(generator, 'openapi.json', '-o', 'schema.d.ts'), /schema\.d\.ts/);
  t.is(await node(program('typescript/bin/tsc'), '-p', '.'), '');
  t.is(await node('client.js'), 'done\n');
});
