import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import test from 'ava';

import { roster } from './run-roster.js';

const workspace = { id: 'wksp_1', name: 'Acme', status: 'active' };
const created = { workspace, owner: { id: 'usr_1' }, apiKey: { id: 'key_1', secret: 'rsk_1' } };

test('with ROSTER_ADMIN_URL, workspaces are administered over HTTP with the admin key', async (t) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      requests.push(`${method} ${url} ${headers.authorization} ${body}`.trimEnd());
      response.setHeader('Content-Type', 'application/json');
      if (url.includes('unknown'))
        return response
          .writeHead(404)
          .end(JSON.stringify({ code: 'not_found', detail: 'No such workspace.' }));
      return response.end(JSON.stringify(method === 'POST' && body ? created : { workspace }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const env = { ROSTER_ADMIN_URL: `http://127.0.0.1:${port}/`, ROSTER_ADMIN_KEY: 'rak_x' };
  const owner = ['--owner-email', 'a@example.com', '--owner-name', 'A'];
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await roster(t, args, env);
    t.is(code, 0, stderr);
    return JSON.parse(stdout) as unknown;
  };
  t.deepEqual(await run('workspace', 'create', '--name', 'Acme', ...owner), {
    workspaceId: 'wksp_1',
    userId: 'usr_1',
    apiKey: 'rsk_1',
  });
  await run('workspace', 'list');
  await run('workspace', 'rename', '--id', 'wksp_1', '--name', 'Other');
  t.deepEqual(await run('workspace', 'suspend', '--id', 'wksp_1'), { workspace });
  await run('workspace', 'usage', '--id', 'wksp_1');
  const quotas = ['--contacts', '1000', '--requests-per-day', 'none'];
  await run('workspace', 'set-quotas', '--id', 'wksp_1', ...quotas);
  await run('workspace', 'usage', '--id', 'wksp_1', '--from', '2026-01-01', '--to', '2026-01-31');
  await run('workspace', 'delete', '--id', 'wksp_1');
  await run('user', 'list', '--workspace', 'wksp_1', '--after', 'c');
  const path = '/v1/admin/workspaces';
  t.deepEqual(requests, [
    `POST ${path} Bearer rak_x {"name":"Acme","ownerEmail":"a@example.com","ownerName":"A"}`,
    `GET ${path}?limit=100 Bearer rak_x`,
    `PUT ${path}/wksp_1 Bearer rak_x {"name":"Other"}`,
    `POST ${path}/wksp_1/suspend Bearer rak_x`,
    `GET ${path}/wksp_1/usage Bearer rak_x`,
    `PUT ${path}/wksp_1 Bearer rak_x {"quotas":{"contacts":1000,"requestsPerDay":null}}`,
    `GET ${path}/wksp_1/usage?from=2026-01-01&to=2026-01-31 Bearer rak_x`,
    `DELETE ${path}/wksp_1 Bearer rak_x`,
    `GET ${path}/wksp_1/users?limit=100&after=c Bearer rak_x`,
  ]);
  const refused = await roster(t, ['workspace', 'get', '--id', 'unknown'], env);
  t.is(refused.code, 1);
  t.is(refused.stderr, 'not_found: No such workspace.\n');
});

test('says what is missing to administer workspaces over HTTP', async (t) => {
  const without = await roster(t, ['workspace', 'suspend', '--id', 'wksp_1']);
  t.regex(without.stderr, /^Set ROSTER_ADMIN_URL and ROSTER_ADMIN_KEY/);
  const env = { ROSTER_ADMIN_URL: 'http://127.0.0.1:9' };
  t.regex((await roster(t, ['workspace', 'list'], env)).stderr, /^ROSTER_ADMIN_KEY is missing/);
  const away = { ...env, ROSTER_ADMIN_KEY: 'rak_x' };
  t.regex((await roster(t, ['workspace', 'list'], away)).stderr, /^ROSTER_ADMIN_URL: no answer/);
});
