import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';

const spectral = process.env['SPECTRAL'] ?? 'spectral';

test('spectral has no warning about the OpenAPI document', async (t) => {
  if (spawnSync(spectral, ['--version']).status !== 0) {
    t.log('not tested here: install @stoplight/spectral-cli, or set SPECTRAL');
    t.pass();
    return;
  }
  const { baseUrl } = await sharedRoster(t);
  const cwd = await temporaryDirectory(t);
  await writeFile(
    join(cwd, 'openapi.json'),
    await (await fetch(`${baseUrl}/v1/openapi.json`)).text(),
  );
  await writeFile(join(cwd, '.spectral.yaml'), 'extends: spectral:oas\n');
  const { stdout } = await promisify(execFile)(
    spectral,
    ['lint', 'openapi.json', '--format', 'json', '--quiet', '--fail-severity', 'hint'],
    { cwd, env: { ...process.env, SCARF_ANALYTICS: 'false' } },
  ).catch((error: { stdout: string }) => error);
  t.deepEqual(JSON.parse(stdout), []);
});
