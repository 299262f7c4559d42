import test from 'ava';
import { entityTag, operations, versionIn, versionOf, type Operation } from '../index.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const contact = (name: string) => bytes({ contact: { id: 'cont_1', name } });
const user = (name: string, lastAccessedAt: string) => bytes({ user: { name, lastAccessedAt } });

test('the tag of a resource without maintained fields is its version, and differs between states', (t) => {
  const get = operations['contacts.get'];
  const tag = entityTag(get, contact('A'));
  t.is(tag, entityTag(get, contact('A')));
  t.not(tag, entityTag(get, contact('B')));
  t.is(versionIn(tag), versionOf(get, contact('A').toString()));
});

test('maintained fields change the tag, but not its version', (t) => {
  const get = operations['users.me'];
  const tag = entityTag(get, user('A', 'earlier'));
  const later = entityTag(get, user('A', 'later'));
  t.not(tag, later);
  t.is(versionIn(tag), versionIn(later));
  t.is(versionIn(tag), versionOf(get, user('A', 'later').toString()));
  t.not(versionIn(tag), versionIn(entityTag(get, user('B', 'earlier'))));
});

for (const tag of ['', 'short', 'x'.repeat(23), `${'x'.repeat(22)}.`, `${'x'.repeat(22)}~gzip`])
  test(`no resource has the tag ${JSON.stringify(tag)}`, (t) => {
    t.is(versionIn(tag), undefined);
  });

const all = Object.values(operations) as Operation[];
const paths = new Set(all.filter(({ http }) => http?.etag).map(({ http }) => http!.path));

for (const { name, http, faults, resource } of all) {
  if (!http) continue;
  const isOfResource = resource !== undefined || paths.has(http.path);
  const isConditional = isOfResource && (http.method === 'PUT' || http.method === 'DELETE');
  test(`${name} takes ${isConditional ? 'If-Match, and GET of its path has an ETag' : 'no If-Match'}`, (t) => {
    t.is(faults.includes('precondition_failed'), isConditional);
    if (isConditional)
      t.true(paths.has(http.path), `libs/contracts: GET ${http.path} declares no etag`);
  });
}
