import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@roster/testing';
import test from 'ava';
import { compile, compilers, environments, installed } from '../client/installed-package.js';
import { sharedRoster } from '../system/running-roster.js';

const run = promisify(execFile);

test('@hey-api/openapi-ts generates a client that a strict program uses, and that refuses wrong calls', async (t) => {
  t.timeout(300_000);
  const roster = await sharedRoster(t);
  const folder = await temporaryDirectory(t);
  const document = await (await fetch(`${roster.baseUrl}/v1/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await writeFile(join(folder, 'program.ts'), program);
  const node = (...args: string[]) =>
    run(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, BASE_URL: roster.baseUrl, API_KEY: roster.apiKey },
    });
  const generator = installed('@hey-api/openapi-ts/dist/run.mjs');
  const options = ['-i', 'openapi.json', '-o', 'generated', '--no-log-file', '--silent'];
  const { stdout, stderr } = await node('--import', older, generator, ...options);
  t.is(stdout + stderr, '');
  t.is(await compile(folder, compilers['TypeScript 7'], relaxed), '');
  t.is((await node('program.js')).stdout, 'done\n');
});

/** What the generator writes needs types of browsers, and is not exact about optional fields. */
const relaxed = {
  ...{ module: 'nodenext', exactOptionalPropertyTypes: false },
  ...{ ...environments.node, lib: environments.dom.lib },
};

const typescript = pathToFileURL(
  installed('../libs/typescript-5.9/node_modules/typescript/lib/typescript.js'),
).href;
/** The generator uses the interface of TypeScript in JavaScript, which TypeScript 7 has not. */
const older = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? '${typescript}' : name, context),
});`)}`;

const program = `
import {
  contactsBatch,
  contactsCreate,
  contactsExport,
  contactsGet,
  contactsList,
  contactsUpdate,
  webhooksCreate,
  type Contact,
} from './generated/index.js';
import { client } from './generated/client.gen.js';

const { BASE_URL = '', API_KEY = '' } = process.env;
client.setConfig({ baseUrl: BASE_URL, auth: API_KEY });

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error('expected: ' + what);
}

const created = await contactsCreate({
  body: { email: 'ada@example.com', name: 'Ada', tags: ['vip'], properties: { city: 'London' } },
  headers: { 'Idempotency-Key': 'ada-1' },
});
expect(created.data !== undefined, 'a contact is created');
const { id }: Contact = created.data.contact;
expect(created.response?.headers.get('Location') === '/v1/contacts/' + id, 'its address is in Location');

const again = await contactsCreate({ body: { email: 'ada@example.com' } });
expect(again.error !== undefined && again.error.code === 'conflict', 'a second one is refused');
expect(again.error.existingId === id, 'with the first one');

const got = await contactsGet({ path: { contactId: id } });
expect(got.data?.contact.status === 'subscribed', 'a contact is subscribed');
const etag = got.response?.headers.get('ETag') ?? '';
const update = { path: { contactId: id }, headers: { 'If-Match': etag } };
const updated = await contactsUpdate({ ...update, body: { name: 'A' } });
expect(updated.data?.contact.name === 'A', 'it is updated');
const stale = await contactsUpdate({ ...update, body: { name: 'B' } });
expect(stale.response?.status === 412, 'an old version is not updated');

const page = await contactsList({ query: { limit: 10, tag: ['vip'], sort: '-createdAt' } });
expect(page.data?.contacts.length === 1 && page.data.pagination.total === 1, 'it is found');
const next: string | null = page.data.pagination.next;
expect(next === null, 'on the only page');

const batch = await contactsBatch({
  body: { operations: [{ action: 'create', email: 'bob@example.com' }, { action: 'delete', id }] },
});
expect(batch.data?.results.every(({ status }) => status < 300) === true, 'a batch is applied');
const hook = await webhooksCreate({
  body: { url: 'https://example.com/hook', events: ['CONTACT_CREATED'] },
});
expect(hook.data?.webhook.signingSecret.startsWith('whsec_') === true, 'a webhook has a secret');
const file = await contactsExport({ query: { format: 'csv' }, parseAs: 'text' });
expect(file.data?.includes('bob@example.com') === true, 'contacts are exported');

// @ts-expect-error A contact has an address.
void (() => contactsCreate({ body: { name: 'Ada' } }));
// @ts-expect-error A webhook subscribes to kinds that exist.
void (() => webhooksCreate({ body: { url: 'https://example.com', events: ['X'] } }));
// @ts-expect-error A name is a text.
void (() => contactsUpdate({ ...update, body: { name: 5 } }));
// @ts-expect-error Statuses are known.
void (() => contactsList({ query: { status: 'new' } }));

console.log('done');
`;
