import { createHash } from 'node:crypto';
import { hasValidChecksum, keyShape, uuidOf } from '@roster/contracts';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  eventsOf,
  makeWorkspace,
  usersBench,
  verify,
} from './users-bench.js';

const bench = usersBench(test);

test('creates a workspace, its owner, and a key with both scopes', async (t) => {
  const { workspaceId, userId, apiKey } = await makeWorkspace(bench());
  const verified = await verify(bench(), apiKey);
  t.like(verified, { workspaceId, userId, scopes: ['api_user', 'user'], expiresAt: null });
  const { user } = await bench().bus.call('users.me', {}, callAs({ workspaceId, userId }));
  t.like(user, { id: userId, email: 'Ada@Example.com', name: 'Ada Lovelace' });
});

test('returns a key of the documented format with a valid checksum', async (t) => {
  const { apiKey } = await makeWorkspace(bench());
  t.regex(apiKey, keyShape);
  t.true(hasValidChecksum(apiKey));
});

test('stores only the SHA-256 of the key', async (t) => {
  const { workspaceId, apiKey } = await makeWorkspace(bench());
  const [row] = await bench().database.query<{ sha256: Buffer; whole: string }>(
    {
      name: 'test.key-row',
      text: `select sha256, k::text || u::text || w::text as whole from users.api_keys k
               join users.users u using (workspace_id) join users.workspaces w on w.id = k.workspace_id
             where k.workspace_id = $1`,
    },
    [uuidOf('workspace', workspaceId)],
  );
  t.deepEqual(row!.sha256, createHash('sha256').update(apiKey).digest());
  t.false(row!.whole.includes(apiKey.slice(4, 34)));
});

test('writes no event', async (t) => {
  const { workspaceId } = await makeWorkspace(bench());
  t.deepEqual(await eventsOf(bench(), uuidOf('workspace', workspaceId)), []);
});

test('creates several workspaces of one batch, each with its own key', async (t) => {
  const input = { name: 'Same', ownerEmail: 'same@example.com', ownerName: 'Same' };
  const made = await Promise.all(
    Array.from({ length: 8 }, () => bench().bus.call('workspaces.create', input, callAsSystem())),
  );
  t.is(new Set(made.map(({ workspaceId }) => workspaceId)).size, 8);
  t.is(new Set(made.map(({ apiKey }) => apiKey)).size, 8);
});
