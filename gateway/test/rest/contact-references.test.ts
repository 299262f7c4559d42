import test from 'ava';
import { problemIn } from '../problem-document.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

test('takes an address with the prefix email: in place of the ID of a contact, percent-encoded', async (t) => {
  const addresses = ['a+b@example.com', 'a@exämple.com', "o'hara/%25{x}@example.com"];
  for (const address of addresses)
    for (const path of [address, encodeURIComponent(address)]) {
      // A slash is a part of the address only if it is encoded.
      if (path.includes('/') || (path === address && address.includes('%'))) continue;
      const requestId = `by-address-${encodeURIComponent(path)}`;
      const response = await gateway().send(`/v1/contacts/email:${path}`, {
        headers: { 'x-request-id': requestId },
      });
      t.is(response.status, 200, path);
      const [call] = gateway()
        .stubs.calls('contacts.get')
        .filter((one) => one.requestId === requestId);
      t.deepEqual(call!.input, { contactId: `email:${address}` });
    }
});

test('an address without the prefix is answered 404, and the error says how it is named', async (t) => {
  const { code, detail } = await problemIn(await gateway().send('/v1/contacts/ada@example.com'));
  t.is(code, 'not_found');
  t.is(
    detail,
    'No such contact. A contact is named by its ID, or by its address with the prefix email: as in /v1/contacts/email:ada@example.com.',
  );
  const webhook = await problemIn(await gateway().send('/v1/webhooks/ada@example.com'));
  t.is(webhook.detail, 'No such webhook.');
});
