import { eventually } from '@roster/testing';
import test from 'ava';
import { openRoster } from './client.js';
import { startReceiver } from './receiver.js';
import { sharedRoster, type SharedRoster } from './running-roster.js';

interface Verified {
  rows: number;
  events: number;
  deliveries: number;
  missing: Record<string, { count: number; first: string[] }>;
}

/** The report, whether something is missing or not: other tests have receivers that do not answer. */
async function verified({ roster }: SharedRoster, ...options: string[]): Promise<Verified> {
  const command = roster('verify', '--json', ...options);
  return command.catch((error: { stdout: string }) =>
    JSON.parse(error.stdout),
  ) as Promise<Verified>;
}

test('roster verify finds nothing missing in a system that is busy', async (t) => {
  const roster = await sharedRoster(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const client = openRoster(roster);
  const since = new Date(Date.now() - 1000).toISOString();
  await client.webhooks.create({ url: receiver.url, events: ['CONTACT_CREATED'] });
  // Changes of webhooks within this time before an event are not certain.
  const settled = ['--since', since, '--older-than-seconds', '2'];
  const found = await eventually(
    async () => {
      await client.contacts.create({ email: `${Date.now()}@example.com` });
      const report = await verified(roster, ...settled);
      return report.deliveries > 0 && report;
    },
    { timeoutMs: 60_000, describe: 'deliveries that are old enough' },
  );
  t.true(found.rows > 0 && found.events > 0);
  for (const kind of ['absent', 'undelivered', 'unqueued'])
    t.deepEqual(found.missing[kind], { count: 0, first: [] }, kind);
});
