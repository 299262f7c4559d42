import test from 'ava';
import { executeOn } from '../graphql/execute-graphql.js';
import { contactId } from '../stub-results.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

test.serial('`kinds` can be repeated, other parameters cannot', async (t) => {
  const { send, stubs } = gateway();
  const response = await send('/v1/events?kinds=CONTACT_CREATED&kinds=CONTACT_DELETED&limit=2');
  t.is(response.status, 200);
  t.deepEqual(stubs.calls('event-log.list').at(-1)!.input, {
    kinds: ['CONTACT_CREATED', 'CONTACT_DELETED'],
    limit: 2,
  });
  const twice = await send('/v1/events?limit=2&limit=3');
  t.is(twice.status, 422);
  const unknown = await send('/v1/events?kinds=CONTACT_CREATED&kinds=OTHER');
  t.is(unknown.status, 422);
});

test.serial('newest first and of a contact, over REST and GraphQL alike', async (t) => {
  const { send, stubs } = gateway();
  const input = { order: 'desc', contactId, limit: 2 };
  await send(`/v1/events?order=desc&contactId=${contactId}&limit=2`);
  t.deepEqual(stubs.calls('event-log.list').at(-1)!.input, input);
  const { data } = await executeOn(gateway)(
    `{ eventLog(first: 2, order: DESC, contactId: "${contactId}") { nodes { id } } }`,
  );
  t.truthy(data?.['eventLog']);
  t.deepEqual(stubs.calls('event-log.list').at(-1)!.input, input);
});
