import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from './client.js';
import { sharedRoster } from './running-roster.js';

interface Created {
  apiKey: { id: string };
  secret: string;
}

test('a browser token takes no Idempotency-Key from the API key that made it, nor from another token', async (t) => {
  const roster = await sharedRoster(t);
  const owner = new Client(roster);
  const browser = async () => {
    const limits = { operations: ['contacts.create'] };
    const { body } = await owner.post<{ token: { secret: string } }>('/v1/tokens', limits);
    return new Client({ baseUrl: roster.baseUrl, apiKey: body.token.secret });
  };
  const headers = { 'Idempotency-Key': 'order-1001' };
  for (const [n, sender] of [await browser(), await browser(), owner].entries()) {
    const contact = { email: `sender-${n}@example.com` };
    t.is((await sender.send('POST', '/v1/contacts', contact, headers)).status, 201);
    const repeated = await sender.send('POST', '/v1/contacts', contact, headers);
    t.is(repeated.headers.get('idempotency-replayed'), 'true');
  }
});

test('a key grants only its scopes, and a revoked key is refused everywhere before its cache entry expires', async (t) => {
  const roster = await sharedRoster(t);
  const keyFor = async (scopes: string) =>
    (await roster.roster('key', 'create', '--user', roster.userId, '--scopes', scopes)) as {
      keyId: string;
      apiKey: string;
    };
  const apiUser = await keyFor('api_user');
  const user = await keyFor('user');
  const as = (apiKey: string) => new Client({ baseUrl: roster.baseUrl, apiKey });
  t.is((await as(apiUser.apiKey).get('/v1/contacts')).status, 200);
  const refused = await as(apiUser.apiKey).get<{ code: string }>('/v1/users/me');
  t.is(refused.status, 403);
  t.is(refused.body.code, 'insufficient_scope');
  t.is((await as(user.apiKey).get('/v1/users/me')).status, 200);
  t.is((await as(user.apiKey).get('/v1/contacts')).status, 403);
  const mistyped = user.apiKey.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
  t.is((await as(mistyped).get('/v1/users/me')).status, 401);

  const spare = await as(user.apiKey).post<Created>('/v1/api-keys', {
    name: 'Spare',
    scopes: ['user'],
  });
  t.is(spare.status, 201);
  t.is(spare.headers.get('location'), `/v1/api-keys/${spare.body.apiKey.id}`);
  t.is((await as(spare.body.secret).get('/v1/users/me')).status, 200);
  const rotated = await as(user.apiKey).post<Created>(
    `/v1/api-keys/${spare.body.apiKey.id}/rotate`,
    { overlapSeconds: 1 },
  );
  t.is((await as(rotated.body.secret).get('/v1/users/me')).status, 200);
  // The gateway cached the previous secret for a minute.
  await eventually(async () => (await as(spare.body.secret).get('/v1/users/me')).status === 401);
  t.is((await as(rotated.body.secret).get('/v1/users/me')).status, 200);
  t.is((await as(rotated.body.secret).delete(`/v1/api-keys/${spare.body.apiKey.id}`)).status, 200);
  await eventually(async () => (await as(rotated.body.secret).get('/v1/users/me')).status === 401);

  await roster.roster('key', 'revoke', '--id', user.keyId);
  // The gateway caches a key for a minute.
  await eventually(async () => (await as(user.apiKey).get('/v1/users/me')).status === 401);
  t.is((await as(apiUser.apiKey).get('/v1/contacts')).status, 200);
  t.is((await as(roster.apiKey).get('/v1/contacts')).status, 200);
});
