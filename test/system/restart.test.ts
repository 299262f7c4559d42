import { chmod, lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@roster/testing';
import test from 'ava';
import { Client, type Contact } from './client.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

/** Creates contacts until it is stopped, and records the IDs of the acknowledged ones. */
function load(roster: RunningRoster, workers: number, name: string) {
  const client = new Client(roster);
  const acknowledged: string[] = [];
  const refusals: number[] = [];
  let cut = 0;
  const work = { running: true };
  const done = Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let n = 0; work.running; n += 1) {
        try {
          const { status, body } = await client.post<{ contact: Contact }>('/v1/contacts', {
            email: `${name}-${worker}-${n}@example.com`,
          });
          if (status === 201) acknowledged.push(body.contact.id);
          else refusals.push(status);
        } catch {
          cut += 1;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    }),
  );
  return {
    acknowledged,
    refusals,
    get cut() {
      return cut;
    },
    async stop() {
      work.running = false;
      await done;
    },
  };
}

/** Files and folders that other accounts may read or change. */
async function exposedFiles(home: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(home, { recursive: true })) {
    // PostgreSQL and NATS remove files while they run.
    const stats = await lstat(join(home, name)).catch(() => undefined);
    if (stats && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0) found.push(name);
  }
  return found;
}

test('SIGTERM under load loses no accepted request, and a restart finds every contact and delivers every event', async (t) => {
  // Requests on a stalled machine would be answered 504 before the signal with the default timeout.
  const first = await startRoster({ t, env: patience });
  t.teardown(() => first.discard());
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  t.is(
    (
      await new Client(first).post('/v1/webhooks', {
        url: receiver.url,
        events: ['CONTACT_CREATED'],
      })
    ).status,
    201,
  );
  const work = load(first, 8, 'restart');
  await eventually(() => work.acknowledged.length > 100, { timeoutMs: 30_000 });
  const exit = await first.stop();
  await work.stop();
  t.is(exit, 0);
  // A request was either answered successfully, or never reached the gateway.
  t.deepEqual(work.refusals, []);
  await t.throwsAsync(readFile(join(first.home, 'demo.json')), { code: 'ENOENT' });

  const printed = first.output();
  t.true(printed.includes(first.apiKey));
  const address = printed.indexOf(`Open the console: ${first.baseUrl}/console#link=rsl_`);
  t.true(address > 0 && address < printed.indexOf('Roster runs at'), 'the console comes first');
  t.deepEqual(await exposedFiles(first.home), []);
  // As an earlier version left them.
  await chmod(join(first.home, 'demo-workspace.json'), 0o644);
  await chmod(join(first.home, 'logs'), 0o755);

  const again = await startRoster({ t, home: first.home });
  t.teardown(() => again.discard());
  await eventually(() => again.output().includes('demo-workspace.json'));
  t.false(again.output().includes(first.apiKey), 'a later start prints no key');
  t.deepEqual(await exposedFiles(again.home), []);
  t.is(again.apiKey, first.apiKey, 'the demo workspace is created once');
  const client = new Client(again);
  const { pagination } = (
    await client.get<{ pagination: { total: number } }>('/v1/contacts?limit=1')
  ).body;
  t.is(pagination.total, work.acknowledged.length);
  await eventually(
    () =>
      new Set(receiver.received.map(({ body }) => body.data.contact!.id)).size >=
      work.acknowledged.length,
    {
      timeoutMs: 60_000,
      describe: 'every event',
    },
  );
  const heard = new Set(receiver.received.map(({ body }) => body.data.contact!.id));
  t.deepEqual(
    work.acknowledged.filter((id) => !heard.has(id)),
    [],
  );
});

test('a service that is killed under load is restarted, and no acknowledged contact or event is lost', async (t) => {
  const roster = await startRoster({ t });
  t.teardown(() => roster.discard());
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const client = new Client(roster);
  await client.post('/v1/webhooks', { url: receiver.url, events: ['CONTACT_CREATED'] });
  const work = load(roster, 8, 'kill');
  for (const name of ['contacts', 'dispatcher']) {
    const seen = work.acknowledged.length;
    await eventually(() => work.acknowledged.length > seen + 100, { timeoutMs: 60_000 });
    const log = await readFile(join(roster.home, 'logs', `${name}.log`), 'utf8');
    const ready = log.split('\n').findLast((line) => line.includes('"msg":"ready"'))!;
    process.kill((JSON.parse(ready) as { pid: number }).pid, 'SIGKILL');
    await eventually(() => roster.output().includes(name), {
      timeoutMs: 20_000,
      describe: 'the report with the name',
    });
  }
  const seen = work.acknowledged.length;
  await eventually(() => work.acknowledged.length > seen + 100, { timeoutMs: 60_000 });
  await work.stop();
  t.deepEqual(
    work.refusals.filter((status) => status !== 503 && status !== 504),
    [],
  );
  const ids = new Set(work.acknowledged);
  const heard = () => new Set(receiver.received.map(({ body }) => body.data.contact!.id));
  await eventually(() => heard().size >= ids.size, { timeoutMs: 60_000, describe: 'every event' });
  await eventually(() => [...ids].every((id) => heard().has(id)), {
    timeoutMs: 60_000,
    describe: 'every event',
  });
  const { pagination } = (
    await client.get<{ pagination: { total: number } }>('/v1/contacts?limit=1')
  ).body;
  t.true(
    pagination.total >= ids.size,
    'a request answered 504 may have been executed, one answered 201 has been',
  );
});
