import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { Client } from '../system/client.js';
import { startReceiver } from '../system/receiver.js';
import { patience, startRoster, type RunningRoster } from '../system/running-roster.js';
import { scrape } from '../system/scrape.js';
import { readExposition, type Exposed } from './exposition.js';
import { metricsReference, type Metric } from './metrics-reference.js';
import { allQueries } from './all-queries.js';
import { labelsOf } from './known-metrics.js';
import { inspectQuery } from './promql.js';
import { runbooks } from './runbooks.js';

const processes = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'];

/** Labels of every metric, and of histogram buckets, which the reference documents once. */
const impliedLabels = new Set(['service', 'le']);

/** Deprecated by prom-client: nodejs_active_resources replaces them. */
const deprecated = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
];

/** Not counted in the system of this test: their labels are those of the reference. */
const unseen = new Set([
  'roster_calls_dropped_total',
  'roster_calls_repeated_total',
  'roster_http_connections_ended_total',
  'roster_http_exports_ended_total',
  'roster_trace_spans_dropped_total',
]);

/** Labels of which a healthy system exports every value. */
const settledLabels = new Set(['check', 'class', 'lane', 'le', 'service', 'state', 'task']);

let roster: RunningRoster;
let scraped: (readonly [process: string, Map<string, Exposed>])[];

test.before(async (t) => {
  roster = await startRoster({ t, env: patience });
  await useEverything(t, roster);
  scraped = await Promise.all(
    processes.map(async (name) => [name, readExposition(await scrape(roster, name))] as const),
  );
});
test.after.always(() => roster?.discard());

test('the reference lists exactly the exported metrics, with type, labels and meaning', (t) => {
  const names = new Set(scraped.flatMap(([, metrics]) => [...metrics.keys()]));
  for (const name of deprecated) names.delete(name);
  const reference = metricsReference();
  const ofProcesses = [...reference.values()].filter(({ processes: [one] }) => one !== 'canary');
  t.deepEqual([...names].toSorted(), ofProcesses.map(({ name }) => name).toSorted());
  for (const name of names) {
    const { labels, ...expected } = reference.get(name)!;
    t.like(described(name), unseen.has(name) ? expected : { ...expected, labels }, name);
  }
});

test('no label value is an ID, an address or a key', (t) => {
  const ofTenants = [roster.workspaceId, roster.userId, roster.apiKey, 'example.com', '127.0.0.1'];
  for (const [, metrics] of scraped) {
    for (const { name, samples } of metrics.values()) {
      for (const value of samples.flatMap((labels) => Object.values(labels))) {
        t.notRegex(value, /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$|[0-9a-f]{8}-[0-9a-f]{4}-/, name);
        t.false(
          ofTenants.some((text) => value.includes(text)),
          `${name} ${value}`,
        );
      }
    }
  }
});

test('rules, dashboards and runbooks use existing processes, buckets, classes and states', (t) => {
  const shown = new Map<string, Record<string, string>[]>();
  for (const [, metrics] of scraped) {
    for (const { name, samples } of metrics.values())
      shown.set(name, [...(shown.get(name) ?? []), ...samples]);
  }
  let compared = 0;
  for (const { where, query } of allQueries()) {
    for (const { metric, matchers } of inspectQuery(query, labelsOf).selectors) {
      const samples = shown.get(metric) ?? shown.get(metric.replace(/_(bucket|sum|count)$/, ''));
      for (const { label, op, value } of matchers) {
        if (!samples || !settledLabels.has(label) || value.includes('$')) continue;
        const isPattern = op.endsWith('~');
        for (const each of isPattern ? value.split('|') : [value]) {
          const pattern = new RegExp(`^(?:${each})$`);
          const fits = (shown: string) => (isPattern ? pattern.test(shown) : shown === each);
          t.true(
            samples.some((sample) => fits(sample[label] ?? '')),
            `${where}: ${metric} has no ${label} ${each}`,
          );
          compared += 1;
        }
      }
    }
  }
  t.true(compared > 10);
});

test('PostgreSQL accepts every statement of the runbooks', async (t) => {
  const client = new pg.Client({ connectionString: roster.databaseUrl });
  await client.connect();
  try {
    for (const { name, sql } of runbooks) {
      for (const statements of sql) {
        await t.notThrowsAsync(() => client.query(statements), `${name}: ${statements}`);
      }
    }
  } finally {
    await client.end();
  }
});

/**
 * Causes everything that is only counted when it occurs: successful and failed deliveries, and an ended subscription.
 */
async function useEverything(t: ExecutionContext, running: RunningRoster): Promise<void> {
  const { baseUrl, userId } = running;
  const client = new Client(running);
  const receiver = await startReceiver();
  // The receiver has no TLS.
  for (const url of [receiver.url, receiver.url.replace('http:', 'https:')]) {
    const hook = await client.post('/v1/webhooks', { url, events: ['CONTACT_CREATED'] });
    t.is(hook.status, 201);
  }
  const { keyId, apiKey } = (await running.roster(
    ...['key', 'create', '--user', userId, '--scopes', 'api_user'],
  )) as { keyId: string; apiKey: string };
  const subscription = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: 'subscription { events { id } }' }),
  });
  t.is(subscription.status, 200);
  t.is((await client.post('/v1/contacts', { email: 'ada@example.com' })).status, 201);
  t.is((await client.get('/v1/contacts')).status, 200);
  t.is((await client.post('/graphql', { query: '{ viewer: __typename }' })).status, 200);
  await eventually(() => receiver.received.length > 0, { describe: 'a delivery' });
  await running.roster('key', 'revoke', '--id', keyId);
  // The subscription is read to its end, which reports the reason.
  await subscription.text();
  const attempted = /^roster_delivery_attempts_total\{outcome="(\w+)"/gm;
  await eventually(
    async () => [...(await scrape(running, 'dispatcher')).matchAll(attempted)].length > 1,
    { describe: 'attempts to be counted' },
  );
  await receiver.stop();
}

/** A metric in the format of the reference. */
function described(name: string): Metric {
  const shown = scraped.flatMap(([process, metrics]) => {
    const metric = metrics.get(name);
    return metric ? [{ process, metric }] : [];
  });
  const [{ metric }] = shown as [(typeof shown)[0]];
  const labels = new Set(
    shown.flatMap(({ metric }) => metric.samples.flatMap((sample) => Object.keys(sample))),
  );
  return {
    name,
    type: metric.type,
    labels: [...labels].filter((label) => !impliedLabels.has(label)).toSorted(),
    processes: shown.length === processes.length ? ['all'] : shown.map(({ process }) => process),
    meaning: metric.help,
  };
}
