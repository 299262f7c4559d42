import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { Client } from '../system/client.js';
import { sharedRoster } from '../system/running-roster.js';
import { pythonWith } from './python-tool.js';

const folder = fileURLToPath(new URL('../../public-suites/', import.meta.url));
/** Generated requests of each operation and phase. ROSTER_EXAMPLES=50 tries more, with the seed in ROSTER_SEED. */
const { ROSTER_EXAMPLES = '1', ROSTER_SEED = '1' } = process.env;

test('schemathesis finds nothing unexplained', async (t) => {
  const python = pythonWith('schemathesis', t);
  if (!python) return;
  const roster = await sharedRoster(t);
  t.timeout(60_000 * (4 + Number(ROSTER_EXAMPLES)));
  const client = new Client(roster);
  const { body } = await client.get<{ key: { id: string } }>('/v1/key');
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', join(folder, 'schemathesis.toml'), 'run'],
    ...[`${roster.baseUrl}/v1/openapi.json`, '--header', `Authorization: Bearer ${roster.apiKey}`],
    ...['--max-examples', ROSTER_EXAMPLES, '--seed', ROSTER_SEED, '--no-color'],
  ];
  const env = {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: folder,
    ROSTER_OWN_IDS: `${body.key.id},${roster.userId}`,
  };
  const { stdout, failed } = await promisify(execFile)(python, args, {
    cwd: await temporaryDirectory(t),
    env,
    maxBuffer: 2 ** 26,
  })
    .then((done) => ({ ...done, failed: false }))
    .catch((error: { stdout: string; stderr: string }) => ({
      stdout: error.stdout + error.stderr,
      failed: true,
    }));
  t.false(failed, stdout);
  // Otherwise everything was refused.
  t.is((await client.get('/v1/key')).status, 200);
});
