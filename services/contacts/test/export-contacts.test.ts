import test from 'ava';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

test('an export begins with the names of the defined properties of its workspace, in alphabetical order', async (t) => {
  const workspaces = [1, 2, 3].map(() => newWorkspace(running().bus));
  const [one, other] = workspaces as [(typeof workspaces)[0], (typeof workspaces)[0]];
  await create(one, 'a@example.com', { properties: { plan: 'gold', City: 'Paris', city_2: 'x' } });
  await create(other, 'a@example.com', { properties: { secret: 'x' } });
  const begun = await Promise.all(
    workspaces.map((workspace) => workspace.call('contacts.export', {})),
  );
  t.deepEqual(
    begun.map(({ properties }) => properties),
    [['City', 'city_2', 'plan'], ['secret'], []],
  );
});
