import test from 'ava';
import { createdAt, webhookId } from '../../stub-results.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { executeGraphql } from '../execute-graphql.js';

let gateway: TestGateway;
test.before(async () => void (gateway = await testGateway()));
test.after.always(() => gateway.close());

const execute = (
  query: string,
  variables?: Record<string, unknown>,
  headers?: Record<string, string>,
) => executeGraphql(gateway, query, variables, headers);

test('a dry run returns the number of deliveries and no replay; until must be after since', async (t) => {
  gateway.stubs.answer('replays.create', ({ input }) =>
    (input as { dryRun: boolean }).dryRun
      ? { replay: { id: null, webhookId, total: 7, done: 0, status: 'dry_run', createdAt } }
      : undefined,
  );
  const { data, text } = await execute(
    `mutation { createReplay(input: {webhookId: "${webhookId}", since: "${createdAt}", kinds: [CONTACT_DELETED], status: DEAD, dryRun: true}) { total replay { id } } }`,
    {},
    { 'x-request-id': 'dry' },
  );
  t.deepEqual(data, { createReplay: { total: 7, replay: null } }, text);
  const call = gateway.stubs.calls('replays.create').find(({ requestId }) => requestId === 'dry')!;
  t.deepEqual(call.input, {
    webhookId,
    since: createdAt,
    kinds: ['CONTACT_DELETED'],
    status: 'dead',
    dryRun: true,
  });
  const backwards = await execute(
    `mutation { createReplay(input: {webhookId: "${webhookId}", since: "${createdAt}", until: "${createdAt}"}) { total } }`,
  );
  t.deepEqual(
    backwards.errors![0]!.extensions.errors?.map(({ pointer }) => pointer),
    ['/until'],
  );
});
