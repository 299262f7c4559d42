import test from 'ava';
import { contactsFor, create, eventsOf, newWorkspace, type Workspace } from './running-contacts.js';

const running = contactsFor(test);

/** The details of the events of a workspace. */
const detailsIn = async (workspace: Workspace): Promise<unknown[]> =>
  (await eventsOf(running(), workspace)).map(({ details }) => JSON.parse(details!) as unknown);

test('an event has the tags, properties and status of its contact beside its body', async (t) => {
  const workspace = newWorkspace(running().bus);
  const given = { tags: ['a', 'Ünï "🙂"\n'], properties: { city: 'Zürich "1"\n' } };
  const { contact } = await create(workspace, 'a@example.com', given);
  const { id: contactId } = contact;
  const unsubscribed = await workspace.call('contacts.unsubscribe', { contactId });
  const resubscribed = await workspace.call('contacts.resubscribe', { contactId });
  await workspace.call('contacts.delete', { contactId });
  const [first, second, third] = [contact, unsubscribed.contact, resubscribed.contact].map(
    ({ updatedAt, version, externalId }) => ({ ...given, updatedAt, version, externalId }),
  );
  t.deepEqual(await detailsIn(workspace), [
    { contact: { ...first, status: 'subscribed' } },
    { contact: { ...second, status: 'unsubscribed' }, previous: { status: 'subscribed' } },
    { contact: { ...third, status: 'subscribed' }, previous: { status: 'unsubscribed' } },
    { contact: { ...third, status: 'subscribed' } },
  ]);
  for (const { body, details } of await eventsOf(running(), workspace)) {
    const { data } = JSON.parse(body) as { data: { contact: object } };
    t.deepEqual(Object.keys(data.contact), ['id', 'email', 'name', 'createdAt']);
    t.notRegex(details!, /[\r\n]/);
  }
});

test('an update has the former values of exactly the fields that it changed', async (t) => {
  const workspace = newWorkspace(running().bus);
  const properties = { keep: '1', change: '2', drop: '3' };
  const { contact } = await create(workspace, 'a@example.com', {
    ...{ name: 'A', tags: ['x'], properties },
  });
  const { id: contactId } = contact;
  const change = { keep: '1', change: 'two', drop: null, added: '4', absent: null };
  const first = await workspace.call('contacts.update', {
    contactId,
    name: 'A',
    properties: change,
  });
  const second = await workspace.call('contacts.update', {
    contactId,
    email: 'b@example.com',
    name: 'B',
    tags: [],
  });
  const third = await workspace.call('contacts.upsert', { email: 'b@example.com', tags: ['y'] });
  const [one, two, three] = [first, second, third].map(({ contact: { updatedAt, version } }) => ({
    status: 'subscribed',
    updatedAt,
    version,
    externalId: null,
  }));
  const after = { keep: '1', change: 'two', added: '4' };
  t.deepEqual((await detailsIn(workspace)).slice(1), [
    {
      contact: { tags: ['x'], properties: after, ...one },
      previous: { properties: { change: '2', drop: '3', added: null } },
    },
    {
      contact: { tags: [], properties: after, ...two },
      previous: { email: 'a@example.com', name: 'A', tags: ['x'] },
    },
    {
      contact: { tags: ['y'], properties: after, ...three },
      previous: { tags: [] },
    },
  ]);
});
