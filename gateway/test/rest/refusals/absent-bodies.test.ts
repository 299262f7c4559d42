import test from 'ava';
import { problemIn } from '../../problem-document.js';
import { contactId, webhookId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const json = { 'content-type': 'application/json' };
const contactPath = `/v1/contacts/${contactId}`;

test('accepts no body or an empty object for an operation without fields', async (t) => {
  const path = `${contactPath}/unsubscribe`;
  t.is((await gateway().send(path, { method: 'POST' })).status, 200);
  t.is((await gateway().send(path, { method: 'POST', headers: json })).status, 200);
  t.is((await gateway().post(path, {})).status, 200);
  t.is((await problemIn(await gateway().post(path, { why: 'spam' }))).code, 'invalid');
  t.is((await gateway().send(contactPath, { method: 'DELETE', headers: json })).status, 200);
});

test('requires a body for an update, but not for an action with only optional fields', async (t) => {
  const path = `/v1/webhooks/${webhookId}/rotate-token`;
  const inputs = () =>
    gateway()
      .stubs.calls('webhooks.rotate-token')
      .map(({ input }) => input);
  t.is((await gateway().send(path, { method: 'POST' })).status, 200);
  t.is((await gateway().send(path, { method: 'POST', headers: json })).status, 200);
  t.is((await gateway().post(path, {})).status, 200);
  t.is((await gateway().post(path, { overlapSeconds: 0 })).status, 200);
  const byDefault = { webhookId, overlapSeconds: 86_400 };
  t.deepEqual(inputs(), [byDefault, byDefault, byDefault, { webhookId, overlapSeconds: 0 }]);
  for (const body of [
    { overlapSeconds: 604_801 },
    { overlapSeconds: -1 },
    { overlapSeconds: 1.5 },
    { token: 'short' },
    { token: null },
    { why: 'lost' },
  ]) {
    const { code, errors } = await problemIn(await gateway().post(path, body));
    t.is(code, 'invalid');
    t.deepEqual(
      errors!.map(({ pointer }) => pointer),
      [`/${Object.keys(body)[0]}`],
    );
  }
  t.is(inputs().length, 4);
  const update = await gateway().send(`/v1/webhooks/${webhookId}`, {
    method: 'PUT',
    headers: json,
  });
  t.is((await problemIn(update)).code, 'invalid_json');
});
