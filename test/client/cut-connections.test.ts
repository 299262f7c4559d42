import { setTimeout as delay } from 'node:timers/promises';
import { Roster, RosterError } from '@roster/client';
import { eventually, TcpProxy } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { inParallel } from '../system/client.js';
import { sharedRoster } from '../system/running-roster.js';

/** A client of a new workspace over a proxy, and one without it. */
async function overProxy(t: ExecutionContext) {
  const { baseUrl, newWorkspace } = await sharedRoster(t);
  const { apiKey } = await newWorkspace('Cut');
  const { hostname, port } = new URL(baseUrl);
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  t.teardown(() => proxy.stop());
  const roster = new Roster({ apiKey, baseUrl: `http://127.0.0.1:${proxy.port}`, retries: 30 });
  return { proxy, roster, direct: new Roster({ apiKey, baseUrl }) };
}

test('no write is applied twice and none is lost over a link that resets connections at every stage', async (t) => {
  const { proxy, roster, direct } = await overProxy(t);
  proxy.setShape({ latencyMs: 15 });
  const emails = Array.from({ length: 60 }, (_, n) => `c${n}@example.com`);
  let [cuts, answers] = [0, 0];
  const answered = async <T>(call: Promise<T>): Promise<T> => {
    const answer = await call;
    answers += 1;
    return answer;
  };
  const ended = new AbortController();
  t.teardown(() => ended.abort());
  const cutting = (async () => {
    for (; !ended.signal.aborted; cuts += 1) {
      // However slow the machine is, some requests are answered between two cuts.
      const until = answers + 1 + Math.floor(Math.random() * 8);
      await eventually(() => answers >= until || ended.signal.aborted);
      await delay(Math.random() * 50);
      await proxy.setMode('reset');
      await proxy.setMode('forward');
    }
  })();
  // A second application of a creation would be a conflict.
  const created = await inParallel(emails, 6, (email) =>
    answered(roster.contacts.create({ email })),
  );
  const versions = await inParallel(created, 6, async ({ id }) => {
    const { response } = await answered(roster.contacts.update(id, { name: 'A' }).withResponse());
    // A second application, of which the first answer was lost, would be refused.
    const ifMatch = response.headers.get('etag')!;
    return answered(roster.contacts.update(id, { name: 'B' }, { ifMatch }));
  });
  ended.abort();
  await cutting;
  t.true(cuts > 5);
  t.is(new Set(versions.map(({ id }) => id)).size, emails.length);
  const found: string[] = [];
  for await (const { email, name } of direct.contacts.list({ limit: 25 })) found.push(email + name);
  t.deepEqual(found.toSorted(), emails.map((email) => `${email}B`).toSorted());
});

test('a file whose upload is cut is imported once, and one that arrives slowly is imported', async (t) => {
  const { proxy, roster, direct } = await overProxy(t);
  const rows = Array.from({ length: 20_000 }, (_, n) => `c${n}@example.com,Name ${n}`);
  const file = `email,name\n${rows.join('\n')}\n`;
  proxy.setShape({ bytesPerSecond: 100_000 });
  const upload = roster.imports.create(file, { format: 'csv', dryRun: true });
  await eventually(async () => (await direct.imports.list()).imports[0]?.status === 'uploading');
  await proxy.setMode('reset');
  proxy.setShape({ bytesPerSecond: 1_000_000 });
  await proxy.setMode('forward');
  t.like(await upload, { status: 'completed', created: rows.length, failed: 0 });
  const { imports } = await direct.imports.list();
  t.deepEqual(
    imports.map(({ status }) => status),
    ['completed', 'failed'],
  );
});

test('an export that is cut throws, and is never taken for the whole', async (t) => {
  const { proxy, roster, direct } = await overProxy(t);
  const operations = Array.from({ length: 500 }, (_, n) => ({
    action: 'create' as const,
    email: `c${n}@example.com`,
    properties: { note: 'x'.repeat(1000) },
  }));
  await direct.contacts.batch({ operations });
  const whole = await roster.contacts.export({ format: 'ndjson' }).text();
  t.is(whole.split('\n').length, operations.length + 1);
  proxy.setShape({ bytesPerSecond: 20_000 });
  let bytes = 0;
  const error = await t.throwsAsync(
    async () => {
      for await (const chunk of roster.contacts.export({ format: 'ndjson' })) {
        bytes += chunk.length;
        await proxy.setMode('reset');
      }
    },
    { instanceOf: RosterError },
  );
  t.true(error.is('unreachable'), error.message);
  t.true(bytes > 0 && bytes < whole.length);
});
