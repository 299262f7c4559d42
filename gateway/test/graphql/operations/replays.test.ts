import test from 'ava';
import { createdAt, webhookId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';
import { executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('a dry run returns the number of deliveries and no replay; until must be after since', async (t) => {
  gateway().stubs.answer('replays.create', ({ input }) =>
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
  const call = gateway()
    .stubs.calls('replays.create')
    .find(({ requestId }) => requestId === 'dry')!;
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
