import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { codeSamples } from '../../rest/openapi/code-samples.js';
import { restOperations } from '../../rest/rest-operations.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

const client = fileURLToPath(new URL('../../../../libs/client', import.meta.url));

/** Programs that run a file with a sample. `isInstalled` is a command that succeeds if they can. */
const runners: Record<string, { file: string; isInstalled: string[]; run: string[] }> = {
  curl: { file: 'sample.sh', isInstalled: ['curl', '--version'], run: ['sh'] },
  'Client library': {
    file: 'sample.mts',
    isInstalled: [process.execPath, '--version'],
    run: [process.execPath, '--no-warnings'],
  },
  TypeScript: {
    file: 'sample.mts',
    isInstalled: [process.execPath, '--version'],
    run: [process.execPath, '--no-warnings'],
  },
  Python: {
    file: 'sample.py',
    isInstalled: ['python3', '-c', 'import requests'],
    run: ['python3'],
  },
  Go: { file: 'sample.go', isInstalled: ['go', 'version'], run: ['go', 'run'] },
};

/** Operations of each method, with and without a body and a path parameter. */
const sampled = [
  'contacts.list',
  'contacts.export',
  'contacts.create',
  'contacts.update',
  'contacts.delete',
];

for (const [label, runner] of Object.entries(runners))
  test(`the samples for ${label} are answered with success`, async (t) => {
    t.timeout(300_000);
    const [program, ...options] = runner.isInstalled;
    if (spawnSync(program!, options).status !== 0) {
      t.log(`not tested here: ${runner.isInstalled.join(' ')} fails`);
      return t.pass();
    }
    const folder = await mkdtemp(join(tmpdir(), 'roster-samples-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    // The samples of the library import it as an installed package.
    await mkdir(join(folder, 'node_modules/@roster'), { recursive: true });
    await symlink(client, join(folder, 'node_modules/@roster/client'));
    const { apiKey } = gateway().stubs.makeKey();
    const env = {
      ...process.env,
      ROSTER_URL: gateway().url,
      ROSTER_KEY: apiKey,
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
    };
    for (const operation of restOperations.filter(({ name }) => sampled.includes(name))) {
      const sample = codeSamples(operation).find((one) => one.label === label)!;
      const file = join(folder, runner.file);
      await writeFile(file, sample.source);
      const [command, ...before] = runner.run;
      const child = spawn(command!, [...before, file], { env, cwd: folder });
      const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const expected = operation.name === 'contacts.delete' ? /deleted/ : /ada@example\.com/;
      t.regex(printed, expected, `${operation.name}: ${errors}`);
    }
    return undefined;
  });

test('each operation has a sample in each language', (t) => {
  for (const operation of restOperations)
    t.deepEqual(
      codeSamples(operation).map(({ label }) => label),
      Object.keys(runners),
      operation.name,
    );
});
