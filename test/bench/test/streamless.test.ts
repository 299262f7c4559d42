import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, temporaryDirectory, throwawayDatabase } from '@roster/testing';
import test from 'ava';
import pg from 'pg';
import { RunningMonolith } from '../contenders/monolith.js';
import { apiKeyOf, dataSetOf } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { addHook, openHooks } from '../data/open-hooks.js';
import { openMonolithDatabase } from '../data/open-monolith-database.js';

const events = 200;

test('the monolith without a stream delivers every event, repeats failed attempts, and records each one', async (t) => {
  const database = await throwawayDatabase();
  t.teardown(() => database.drop());
  const databaseUrl = await openMonolithDatabase(
    database.url,
    `monolith_${randomBytes(4).toString('hex')}`,
  );
  await openHooks(databaseUrl);
  const dataSet = dataSetOf(1000);
  await loadDataSet(databaseUrl, dataSet);
  const { first: workspace } = dataSet.mixed;

  /** Numbers of attempts by `webhook-id`: the first one is refused. */
  const attempts = new Map<string, number>();
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const { 'webhook-id': id, 'webhook-timestamp': time } = request.headers;
      const signed = createHmac('sha256', 'wht_bench').update(
        `${id as string}.${time as string}.${body}`,
      );
      t.is(request.headers['webhook-signature'], `v1,${signed.digest('base64')}`);
      const before = attempts.get(id as string) ?? 0;
      attempts.set(id as string, before + 1);
      response.writeHead(before === 0 ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => receiver.close());
  await addHook(
    databaseUrl,
    workspace,
    `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  );
  const monolith = await RunningMonolith.start({
    ...{ workers: 2, databaseUrl, retryMs: 1, profiled: false },
    home: await temporaryDirectory(t),
  });
  t.teardown(() => monolith.stop());

  const statuses = await Promise.all(
    Array.from({ length: events }, async (_, n) => {
      const response = await fetch(`http://127.0.0.1:${monolith.port}/v1/contacts`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${apiKeyOf(workspace)}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ email: `new-${n}@example.com` }),
      });
      return response.status;
    }),
  );
  t.deepEqual(new Set(statuses), new Set([201]));

  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  t.teardown(() => client.end());
  const counts = async () =>
    (
      await client.query<Record<string, number>>(`
        select (select count(*)::int from hooks.deliveries where status = 'delivered') as delivered,
          (select count(*)::int from hooks.attempts where status = 500 and number = 1) as refused,
          (select count(*)::int from hooks.attempts where status = 200) as accepted,
          (select count(*)::int from contacts.outbox) as left`)
    ).rows[0];
  await eventually(async () => (await counts())?.['accepted'] === events, { timeoutMs: 60_000 });
  t.deepEqual(await counts(), { delivered: events, refused: events, accepted: events, left: 0 });
  t.is(attempts.size, events);
});
