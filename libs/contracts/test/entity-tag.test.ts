import test from 'ava';
import { hash } from 'node:crypto';
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

test('the token of a webhook changes its tag, but not its version, and no part of the tag is a digest of it', (t) => {
  const get = operations['webhooks.get'];
  const webhook = (token: string) => bytes({ webhook: { url: 'https://a.example', token } });
  const tag = entityTag(get, webhook('12345678'));
  t.is(tag, entityTag(get, webhook('12345678')));
  const other = entityTag(get, webhook('87654321'));
  t.not(tag, other);
  t.is(versionIn(tag), versionIn(other));
  t.false(tag.includes(hash('sha256', webhook('12345678'), 'base64url').slice(0, 22)));
});

test('a webhook keeps its version when its deliveries fail, but not when it is disabled', (t) => {
  const get = operations['webhooks.get'];
  const version = (state: object) => versionOf(get, bytes({ webhook: state }));
  const active = version({ status: 'active', disabledReason: null, lastFailureAt: null });
  t.is(version({ status: 'failing', disabledReason: null, lastFailureAt: 'now' }), active);
  t.not(version({ status: 'disabled', disabledReason: 'Disabled by a user.' }), active);
});

for (const tag of ['', 'short', 'x'.repeat(23), `${'x'.repeat(22)}.`, `${'x'.repeat(22)}~gzip`])
  test(`no resource has the tag ${JSON.stringify(tag)}`, (t) => {
    t.is(versionIn(tag), undefined);
  });

const all = Object.values(operations) as Operation[];
const paths = new Set(all.filter(({ http }) => http?.etag).map(({ http }) => http!.path));

for (const { name, http, faults, resource } of all) {
  if (!http) continue;
  if (http.method === 'GET' && http.path.endsWith('}'))
    test(`${name} has an ETag`, (t) => t.truthy(http.etag));
  const isOfResource = resource !== undefined || paths.has(http.path);
  const isConditional = isOfResource && (http.method === 'PUT' || http.method === 'DELETE');
  test(`${name} takes ${isConditional ? 'If-Match, and GET of its path has an ETag' : 'no If-Match'}`, (t) => {
    t.is(faults.includes('precondition_failed'), isConditional);
    if (isConditional)
      t.true(paths.has(http.path), `libs/contracts: GET ${http.path} declares no etag`);
  });
}
