import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@roster/testing';
import { Roster } from '@roster/client';
import test from 'ava';
import { startReceiver } from '../system/receiver.js';
import { sharedRoster } from '../system/running-roster.js';
import { clientFolder, compile, emptyProject, outputOf, root } from './installed-package.js';

/** The examples of a page, with the address of the system. */
async function examplesOf(page: string, baseUrl: string): Promise<string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```ts\n([^]+?)^```/gm)].map(([, example]) =>
    example!.replaceAll('http://127.0.0.1:8080', baseUrl),
  );
}

test("the example of the project's README compiles as a strict program and runs", async (t) => {
  const { baseUrl, newWorkspace } = await sharedRoster(t);
  const { apiKey } = await newWorkspace('First');
  const [example, ...others] = await examplesOf(join(root, 'README.md'), baseUrl);
  t.deepEqual(others, []);
  const folder = await emptyProject(t);
  await writeFile(join(folder, 'program.ts'), example!);
  t.is(await compile(folder), '');
  const env = { KEY: apiKey };
  t.is(await outputOf(process.execPath, ['program.js'], folder, env), 'emmy@example.com\n');
});

test('the examples of its own README compile as one strict program, run, and receive a delivery', async (t) => {
  const { baseUrl, newWorkspace } = await sharedRoster(t);
  const { apiKey } = await newWorkspace('Readme');
  const examples = await examplesOf(join(clientFolder, 'README.md'), baseUrl);
  t.is(examples.length, 10);
  // A free port instead of the README's.
  const probe = await startReceiver();
  await probe.stop();
  const { port } = new URL(probe.url);
  const program = examples.join('\n').replace('9000', port);
  const folder = await emptyProject(t);
  await writeFile(join(folder, 'program.ts'), program);
  await writeFile(join(folder, 'contacts.csv'), 'E-mail,name\nbob@example.com,Bob\nnobody,X\n');
  t.is(await compile(folder), '');

  const token = 'a-secret-of-this-test-0123456789';
  const env = { ...process.env, ROSTER_API_KEY: apiKey, WEBHOOK_SECRET: token };
  const child = spawn(process.execPath, ['program.js'], { cwd: folder, env });
  t.teardown(() => child.kill());
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  let code: number | null | undefined;
  child.once('exit', (exited) => (code = exited));
  const url = `http://127.0.0.1:${port}/`;
  await eventually(
    async () => code !== undefined || (await fetch(url, { method: 'POST' })).status === 401,
    { timeoutMs: 60_000 },
  );
  t.is(code, undefined, printed);
  t.regex(
    printed,
    /^cont_\w+\n1 1\nada@example\.com\nexists as cont_\w+\nconflict 409 req_\w+ 1\n/,
  );
  t.regex(printed, /^queued|running|completed/m);
  t.regex(printed, /nobody[^]*\n1\n/);
  t.regex(printed, /"email":"ada@example\.com"/);
  t.regex(printed, /^CONTACT_CREATED evt_\w+ \S+$/m);

  const roster = new Roster({ apiKey, baseUrl });
  await roster.webhooks.create({ url, token, events: ['CONTACT_CREATED'] });
  await roster.contacts.create({ email: 'grace@example.com' });
  await eventually(() => printed.includes('\ngrace@example.com\n'));
});
