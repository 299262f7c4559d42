import { operations } from '@roster/contracts';
import { callAs } from '@roster/testing';
import test from 'ava';
import { listPropertyValues } from '../operations/properties/list-property-values.js';
import { contactsFor, create, newWorkspace } from './running-contacts.js';

const running = contactsFor(test);

test('the most frequent values of a property come first, of the newest contacts and of the own workspace', async (t) => {
  const [workspace, other] = [newWorkspace(running().bus), newWorkspace(running().bus)];
  const cities = ['Lima', 'London', 'Paris', 'London', 'lille', 'Łódź', '%', '', 'Lima', 'London'];
  for (const [n, city] of cities.entries())
    await create(workspace, `${n}@example.com`, { properties: { city, plan: 'gold' } });
  await create(other, 'other@example.com', { properties: { city: 'Lagos' } });
  const get = async (input: object) => {
    const { values } = await workspace.call('contacts.property-values', {
      property: 'city',
      ...input,
    });
    return values.map(({ value, contacts }) => `${value} ${contacts}`);
  };
  t.deepEqual(await get({}), ['London 3', 'Lima 2', '% 1', 'Paris 1', 'lille 1', 'Łódź 1']);
  t.deepEqual(await get({ prefix: 'L' }), ['London 3', 'Lima 2']);
  t.deepEqual(await get({ prefix: '%' }), ['% 1']);
  t.deepEqual(await get({ prefix: 'La' }), []);
  t.deepEqual(await get({ property: 'unknown' }), []);

  const bounded = listPropertyValues(running(), { contacts: 4, values: 2 });
  const input = operations['contacts.property-values'].input.parse({ property: 'city' });
  const [answer] = await bounded([{ ...callAs({ workspaceId: workspace.id }), input }]);
  t.deepEqual(answer, {
    values: [
      { value: '%', contacts: 1 },
      { value: 'Lima', contacts: 1 },
    ],
  });

  const type = 'number';
  await workspace.call('contact-properties.create', { name: 'size', label: 'Size', type });
  for (const [n, size] of [1e-7, 12, 12, 1.5].entries())
    await create(workspace, `sized-${n}@example.com`, { properties: { size } });
  t.deepEqual(await get({ property: 'size' }), ['12 2', '1e-7 1', '1.5 1']);
  t.deepEqual(await get({ property: 'size', prefix: '1e' }), ['1e-7 1'], 'texts as elsewhere');
});
