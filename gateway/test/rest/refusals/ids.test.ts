import { encodeId, notFound } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { problemIn } from '../../problem-document.js';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

test('answers malformed IDs exactly as unknown IDs', async (t) => {
  gateway().stubs.answer('contacts.get', ({ input }) =>
    (input as { contactId: string }).contactId === contactId ? undefined : notFound('contact'),
  );
  const unknown = await problemIn(
    await gateway().send(`/v1/contacts/${encodeId('contact', randomUUID())}`),
  );
  const foreign = encodeId('webhook', randomUUID());
  for (const id of [
    'x',
    'cont_',
    contactId.toUpperCase(),
    `${contactId}0`,
    foreign,
    'a%2Fb',
    '%00',
    '%zz',
    '%C3%28',
    '..%2f',
    'x'.repeat(5000),
  ]) {
    const problem = await problemIn(await gateway().send(`/v1/contacts/${id}`));
    t.deepEqual({ ...problem, requestId: '' }, { ...unknown, requestId: '' }, id);
  }
});
