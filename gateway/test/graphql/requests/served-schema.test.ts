import { readFileSync } from 'node:fs';
import test from 'ava';
import { schemaFile } from '../../../graphql/build-schema.js';
import { bearer, gatewayFor } from '../../test-gateway.js';

const path = '/graphql/schema.graphql';

test('serves the schema as text, with a key if introspection is off', async (t) => {
  const sdl = readFileSync(schemaFile, 'utf8');
  const open = await gatewayFor(t, { GRAPHQL_INTROSPECTION: true });
  const response = await fetch(open.url + path);
  t.is(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.is(await response.text(), sdl);
  const closed = await gatewayFor(t, { GRAPHQL_INTROSPECTION: false });
  t.is((await fetch(closed.url + path)).status, 401);
  const headers = bearer(closed.stubs.makeKey().apiKey);
  t.is(await (await fetch(closed.url + path, { headers })).text(), sdl);
});
