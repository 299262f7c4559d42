import { workspaceSuspended } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { problemIn } from '../problem-document.js';
import { bearer, sharedGateway } from '../test-gateway.js';

const shared = sharedGateway(test, { FAILED_AUTHENTICATIONS_PER_MINUTE: 3 });

test('a suspended workspace is refused at once by REST and GraphQL, and answered again when it is resumed', async (t) => {
  const { url, stubs } = shared();
  const { apiKey, workspaceId, ...key } = stubs.makeKey();
  const headers = { ...bearer(apiKey), 'content-type': 'application/json' };
  const rest = () => fetch(`${url}/v1/contacts`, { headers });
  const graphql = () =>
    fetch(`${url}/graphql`, { method: 'POST', headers, body: '{"query":"{ me { id } }"}' });
  t.is((await rest()).status, 200);
  let isSuspended = true;
  stubs.answer('keys.verify', () => (isSuspended ? workspaceSuspended() : { ...key, workspaceId }));
  // Still cached: nothing was announced.
  t.is((await rest()).status, 200);
  stubs.bus.broadcast('workspaces.changed', { workspaceId });
  await eventually(async () => (await rest()).status === 403);
  // More often than invalid keys are: these are valid.
  for (let count = 0; count < 5; count += 1)
    t.like(await problemIn(await rest()), { code: 'workspace_suspended', status: 403 });
  const refused = await graphql();
  t.is(refused.status, 403);
  t.regex(await refused.text(), /workspace_suspended/);
  isSuspended = false;
  stubs.bus.broadcast('workspaces.changed', { workspaceId });
  await eventually(async () => (await rest()).status === 200);
});
