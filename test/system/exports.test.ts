import { eventually, shortOrLong } from '@roster/testing';
import test from 'ava';
import { Client, inParallel, type Contact } from './client.js';
import { processesOf } from './processes.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const count = shortOrLong(4_000, 10_000);
const batchMax = 500;
let roster: RunningRoster;

test.before(async (t) => {
  roster = await startRoster({ t, env: patience });
  const client = new Client(roster);
  const numbers = Array.from({ length: count / batchMax }, (_, batch) => batch * batchMax);
  await inParallel(numbers, 1, async (from) => {
    const operations = Array.from({ length: batchMax }, (_, n) => ({
      action: 'create',
      email: `c${from + n}@example.com`,
      name: `Contact ${from + n}`,
      tags: (from + n) % 10 === 0 ? ['tenth'] : [],
      properties: { half: String((from + n) % 2) },
    }));
    await eventually(
      async () => {
        const { status } = await client.post('/v1/contacts/batch', { operations });
        return status === 200;
      },
      { timeoutMs: 120_000 },
    );
  });
});
test.after.always(() => roster?.discard());

const exported = (query: string, { apiKey }: { apiKey: string } = roster) =>
  new Client({ baseUrl: roster.baseUrl, apiKey }).open(
    `/v1/exports/contacts?format=ndjson&${query}`,
  );

const contactsIn = (text: string): Contact[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Contact);

/** All pages of the list. */
async function listed(query: string): Promise<Contact[]> {
  const client = new Client(roster);
  const contacts: Contact[] = [];
  for (let after = ''; ;) {
    const { body } = await client.get<{
      contacts: Contact[];
      pagination: { next: string | null };
    }>(`/v1/contacts?limit=100&${query}${after}`);
    contacts.push(...body.contacts);
    if (body.pagination.next === null) return contacts;
    after = `&after=${body.pagination.next}`;
  }
}

test.serial(
  'the contacts of an export are those of the list, with and without a filter',
  async (t) => {
    const whole = contactsIn(await (await exported('')).text());
    t.is(whole.length, count);
    t.deepEqual(whole, await listed(''));
    for (const query of ['tag=tenth', 'property[half]=1', 'q=c77', 'tag=tenth&property[half]=1'])
      t.deepEqual(contactsIn(await (await exported(query)).text()), await listed(query), query);
  },
);

test.serial(
  'a link downloads without a key what the request with its key does, once, and says in the audit log whose it was',
  async (t) => {
    const client = new Client(roster);
    const { status, body } = await client.post<{ link: { path: string } }>('/v1/export-links', {
      format: 'ndjson',
      tag: ['tenth'],
      property: { half: '0' },
    });
    t.is(status, 201);
    const url = `${roster.baseUrl}/${body.link.path}`;
    const outcomes = await Promise.all([fetch(url), fetch(url)]);
    t.deepEqual(
      outcomes.map(({ status: code }) => code).toSorted((a, b) => a - b),
      [200, 404],
    );
    const text = await outcomes.find((one) => one.ok)!.text();
    t.deepEqual(contactsIn(text), await listed('tag=tenth&property[half]=0'));
    t.is((await fetch(url)).status, 404);
    const { body: log } = await client.get<{ entries: object[] }>(
      '/v1/audit-log?action=contacts.exported&limit=1',
    );
    t.like(log.entries[0], { after: { format: 'ndjson', filters: ['tag', 'property'] } });
    t.false(roster.output().includes(body.link.path.slice('exports/rel_'.length)));
  },
);

test.serial('an export of another workspace contains none of them', async (t) => {
  const other = await roster.newWorkspace('Other');
  t.is(await (await exported('', other)).text(), '');
});

test.serial(
  'contacts that exist throughout are exported once while others change and the service is killed',
  async (t) => {
    const client = new Client(roster);
    const before = await listed('');
    const deleted = new Set(before.filter((_, n) => n % 100 === 99).map(({ id }) => id));
    const response = await exported('');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader.read();
    const [pid] = processesOf(roster.home, 'contacts');
    process.kill(pid!, 'SIGKILL');
    const changes = inParallel([...deleted], 4, async (id, n) => {
      await eventually(
        async () => [200, 404].includes((await client.delete(`/v1/contacts/${id}`)).status),
        { timeoutMs: 120_000 },
      );
      const email = `new${n}@example.com`;
      await eventually(
        async () => [201, 409].includes((await client.post('/v1/contacts', { email })).status),
        { timeoutMs: 120_000 },
      );
    });
    let text = first.value ?? '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    await changes;
    t.not(processesOf(roster.home, 'contacts')[0], pid);
    const ids = contactsIn(text).map(({ id }) => id);
    t.is(new Set(ids).size, ids.length);
    const found = new Set(ids);
    t.deepEqual(
      before.filter(({ id }) => !deleted.has(id) && !found.has(id)),
      [],
    );
  },
);
