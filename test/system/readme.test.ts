import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { Client } from './client.js';
import { startReceiver } from './receiver.js';
import { sharedRoster } from './running-roster.js';

const readme = fileURLToPath(new URL('../../../README.md', import.meta.url));

test("the README's receiver prints the events of the README's requests, and rejects unsigned requests", async (t) => {
  t.timeout(120_000);
  const text = await readFile(readme, 'utf8');
  const source = /```js\n([\s\S]+?)```/.exec(text)![1]!;
  const bodies = [...text.matchAll(/-d '(\{.+?\})'/g)].map(([, body]) => body!);
  const [first, hook, second] = bodies as [string, string, string];

  const roster = await sharedRoster(t);
  // A free port instead of the README's.
  const probe = await startReceiver();
  await probe.stop();
  const { port } = new URL(probe.url);
  const script = join(await temporaryDirectory(t), 'receiver.mjs');
  await writeFile(script, source.replaceAll('9000', port));
  const receiver = spawn(process.execPath, [script], {
    env: { ...process.env, TOKEN: 'a-secret-of-yours' },
  });
  t.teardown(() => receiver.kill());
  let printed = '';
  receiver.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const url = `http://127.0.0.1:${port}/hook`;
  await eventually(async () => (await fetch(url, { method: 'POST', body: '{}' })).status === 401);
  await eventually(() => printed === 'not from Roster\n');

  const client = new Client(roster);
  t.is((await client.post('/v1/contacts', first)).status, 201);
  t.is((await client.post('/v1/webhooks', hook.replaceAll('9000', port))).status, 201);
  t.is((await client.post('/v1/contacts', second)).status, 201);
  // Deliveries have no guaranteed order: the event of the first contact may also reach the webhook.
  const last = await eventually(() => printed.split('\n').find((line) => line.includes('grace')), {
    timeoutMs: 20_000,
  });
  t.like(JSON.parse(last), {
    event: 'CONTACT_CREATED',
    data: { contact: { email: 'grace@example.com' } },
  });
});
