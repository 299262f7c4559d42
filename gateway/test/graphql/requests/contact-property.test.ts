import { Json } from '@roster/bus';
import test from 'ava';
import { contactId, stubBytes } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';
import { executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('a property of a contact is read by its name; names that the contact does not have are null', async (t) => {
  const { contact } = JSON.parse(stubBytes('contacts.get')) as { contact: object };
  const properties = { city: 'London', empty: '' };
  gateway().stubs.answer(
    'contacts.get',
    () => new Json(JSON.stringify({ contact: { ...contact, properties } })),
  );
  const { data, errors } = await execute(`{
    contact(id: "${contactId}") {
      city: property(name: "city")
      empty: property(name: "empty")
      other: property(name: "City")
      inherited: property(name: "constructor")
    }
  }`);
  t.is(errors, undefined);
  t.deepEqual(data, {
    contact: { city: 'London', empty: '', other: null, inherited: null },
  });
});
