import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Client, type Contact } from './client.js';
import { sharedRoster, type SharedRoster } from './running-roster.js';

const guideFile = new URL('../../../gateway/moving.md', import.meta.url);
const guide = await readFile(guideFile, 'utf8');
/** The command line of the command `npx roster`. */
const bin = join(dirname(fileURLToPath(import.meta.resolve('roster'))), 'bin.js');

test('the guide links to files that exist', async (t) => {
  const links = [...guide.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
  t.true(links.length > 0);
  for (const link of links) await t.notThrowsAsync(access(new URL(link, guideFile)), link);
});

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});

interface Move {
  code: number;
  stdout: string;
  stderr: string;
}

/** A folder with the files, and a workspace of its own. */
class Folder {
  readonly client: Client;
  private constructor(
    readonly path: string,
    readonly apiKey: string,
  ) {
    this.client = new Client({ baseUrl: roster.baseUrl, apiKey });
  }

  static async open(
    t: ExecutionContext,
    name: string,
    files: Record<string, string>,
  ): Promise<Folder> {
    const { apiKey } = await roster.newWorkspace(name);
    const folder = new Folder(await temporaryDirectory(t), apiKey);
    for (const [file, text] of Object.entries(files))
      await writeFile(join(folder.path, file), text);
    return folder;
  }

  move(args: string[], env: Record<string, string> = {}): Promise<Move> {
    const config = { HOME: this.path, XDG_CONFIG_HOME: this.path };
    const own = { ...config, ROSTER_URL: roster.baseUrl, ROSTER_API_KEY: this.apiKey };
    const command = ['contacts', 'import', '--from', ...args];
    return new Promise((resolve) => {
      const options = { cwd: this.path, env: { ...process.env, ...own, ...env } };
      execFile(process.execPath, [bin, ...command], options, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  }

  async contacts(): Promise<Pick<Contact, 'email' | 'name' | 'tags' | 'properties' | 'status'>[]> {
    const { body } = await this.client.get<{ contacts: Contact[] }>('/v1/contacts?sort=email');
    return body.contacts.map(({ email, name, tags, properties, status }) => {
      return { email, name, tags, properties, status };
    });
  }
}

const mailchimpColumns =
  'Email Address,First Name,Last Name,Favourite colour,VIP,MEMBER_RATING,OPTIN_TIME,CONFIRM_TIME,LATITUDE,LEID,EUID,NOTES,TAGS';
const mailchimpFiles = () => ({
  'subscribed_email_audience_export_1a2b3c.csv': `\uFEFF${mailchimpColumns}\r\nada@example.com,Ada,Lovelace,"green, ""dark""",yes,2,2020-02-03 04:05:06,2020-02-03 04:06:00,51.5,123,ab12,"two\nlines","""Customers"",""London"""\r\nnobody,No,Address,,,2,,,,,,,\r\ngrace@example.com,Grace,,,,5,,,,,,,\r\n`,
  'unsubscribed_email_audience_export_1a2b3c.csv': `${mailchimpColumns},UNSUB_TIME,UNSUB_REASON\nmary@example.com,Mary,Somerville,,,2,2019-01-01 00:00:00,,,,cd34,,,2021-01-01 00:00:00,"N/A (""other"")"\n`,
});

test('moves an audience of Mailchimp with its tags, fields and states, and names the rows that are refused', async (t) => {
  const files = mailchimpFiles();
  const folder = await Folder.open(t, 'mailchimp', files);
  const { code, stdout, stderr } = await folder.move([
    'mailchimp',
    ...Object.keys(mailchimpFiles()),
  ]);
  t.is(stdout, '{"moved":3,"rejected":1}\n');
  t.regex(stderr, /^subscribed_email_audience_export_1a2b3c\.csv, entry 2: .*\/email .+\n$/);
  t.is(code, 7);
  t.deepEqual(await folder.contacts(), [
    {
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      tags: ['Customers', 'London'],
      properties: {
        Favourite_colour: 'green, "dark"',
        VIP: 'yes',
        formerId: 'ab12',
        subscribedAt: '2020-02-03 04:05:06',
      },
      status: 'subscribed',
    },
    {
      email: 'grace@example.com',
      name: 'Grace',
      tags: [],
      properties: {},
      status: 'subscribed',
    },
    {
      email: 'mary@example.com',
      name: 'Mary Somerville',
      tags: [],
      properties: { formerId: 'cd34', subscribedAt: '2019-01-01 00:00:00' },
      status: 'unsubscribed',
    },
  ]);
});

const listmonkColumns = 'uuid,email,name,attributes,status,created_at,updated_at';
const listmonkRow = (email: string, status: string, attributes = '{}') =>
  `5d0a,${email},Ada,"${attributes.replaceAll('"', '""')}",${status},2024-05-01 10:00:00 +0000 UTC,2024-05-01 10:00:00 +0000 UTC`;

test('moves lists of listmonk as tags, and can be repeated without subscribing anybody again', async (t) => {
  const folder = await Folder.open(t, 'listmonk', {
    'news.csv': [
      listmonkColumns,
      listmonkRow(
        'ada@example.com',
        'enabled',
        '{"city": "London", "likes": ["a", 1], "n": {"x": 1}}',
      ),
      listmonkRow('blocked@example.com', 'blocklisted'),
      listmonkRow('left@example.com', 'enabled'),
    ].join('\n'),
    'offers.csv': [
      listmonkColumns,
      listmonkRow('ADA@example.com', 'enabled'),
      listmonkRow('left@example.com', 'disabled'),
    ].join('\n'),
  });
  const args = ['listmonk', 'news=news.csv', 'offers=offers.csv'];
  t.deepEqual(await folder.move(args), {
    code: 0,
    stdout: '{"moved":3,"rejected":0}\n',
    stderr: '',
  });
  const moved = await folder.contacts();
  t.like(moved[0], {
    tags: ['news', 'offers'],
    properties: { city: 'London', likes: '["a",1]', n: '{"x":1}', formerId: '5d0a' },
    status: 'subscribed',
  });
  t.deepEqual(
    moved.map(({ status }) => status),
    ['subscribed', 'unsubscribed', 'unsubscribed'],
  );

  const { body } = await folder.client.get<{ contacts: Contact[] }>('/v1/contacts?sort=email');
  const [ada, blocked] = body.contacts;
  // One unsubscribed after the move; the other was subscribed, and is not allowed to be.
  await folder.client.post(`/v1/contacts/${ada!.id}/unsubscribe`, {});
  await folder.client.post(`/v1/contacts/${blocked!.id}/resubscribe`, {});
  t.is((await folder.move(args)).stdout, '{"moved":3,"rejected":0}\n');
  t.deepEqual(
    (await folder.contacts()).map(({ status }) => status),
    ['unsubscribed', 'unsubscribed', 'unsubscribed'],
  );
});

test('exports all pages of the contacts of Resend, also after 429, and moves them', async (t) => {
  const all = Array.from({ length: 130 }, (_, n) => ({
    id: `re_${n}`,
    email: `c${String(n).padStart(3, '0')}@example.com`,
    first_name: n === 0 ? 'Steve' : null,
    last_name: n === 0 ? 'Wozniak' : null,
    created_at: '2026-01-01T00:00:00.000Z',
    unsubscribed: n === 1,
    properties: n === 0 ? { company: 'Acme', seats: 3 } : {},
  }));
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (requests === 2) return response.writeHead(429, { 'retry-after': '0' }).end();
    const { searchParams } = new URL(request.url!, 'http://127.0.0.1');
    const from = all.findIndex(({ id }) => id === searchParams.get('after')) + 1;
    const data = all.slice(from, from + Number(searchParams.get('limit')));
    const page = { object: 'list', has_more: from + data.length < all.length, data };
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());

  const folder = await Folder.open(t, 'resend', {});
  const env = {
    RESEND_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    RESEND_API_KEY: 're_test',
  };
  const { stdout } = await folder.move(['resend', '--tag', 'customers'], env);
  t.is(requests, 3);
  t.is(stdout, '{"moved":130,"rejected":0}\n');
  const [first, second] = await folder.contacts();
  t.like(first, {
    name: 'Steve Wozniak',
    tags: ['customers'],
    properties: { company: 'Acme', seats: '3', formerId: 're_0' },
    status: 'subscribed',
  });
  t.like(second, { name: '', status: 'unsubscribed' });
});

test('reads the contacts of Resend from a file, and says in a sentence what cannot be read', async (t) => {
  const contact = { id: 're_1', email: 'ada@example.com', first_name: 'Ada' };
  const files = { 'contacts.json': JSON.stringify([contact]), 'broken.json': '[', 'empty.csv': '' };
  const folder = await Folder.open(t, 'resend file', files);
  for (const [args, sentence, exitCode] of [
    [['resend'], /^Set RESEND_API_KEY to a key of Resend, or name a file of contacts\.\n$/, 2],
    [['mailchimp'], /^Name the files that mailchimp exported\.\n$/, 2],
    [['resend', 'contacts.json', 'none.json'], /^none\.json cannot be read \(ENOENT\)\.\n$/, 1],
    [['resend', 'contacts.json', 'broken.json'], /^broken\.json: .+\n$/, 1],
    [['listmonk', 'empty.csv'], /^No contact was found: .+\n$/, 1],
  ] as const) {
    const { code, stdout, stderr } = await folder.move([...args]);
    t.regex(stderr, sentence);
    t.is(code, exitCode);
    t.is(stdout, '');
  }
  t.deepEqual(await folder.contacts(), []);
  t.is((await folder.move(['resend', 'contacts.json'])).code, 0);
  t.like((await folder.contacts())[0], { email: 'ada@example.com', name: 'Ada' });
});
