import type { Roster } from '@roster/client';
import test from 'ava';
import { typedValues } from '../commands/typed-values.js';

const { signal } = new AbortController();

test('values are sent as the types of their properties, and what means none is left to the API', async (t) => {
  const types = { age: 'number', member: 'boolean', since: 'date', zip: 'string' } as const;
  let requests = 0;
  const roster = {
    contactProperties: {
      async *list() {
        requests += 1;
        for (const [name, type] of Object.entries(types)) yield { name, type };
      },
    },
  } as unknown as Roster;
  const read = (texts: Record<string, string>) => typedValues(roster, texts, signal);
  t.deepEqual(await read({ city: 'Paris', zip: 'x' }), { city: 'Paris', zip: 'x' });
  t.is(requests, 0);
  t.deepEqual(
    await read({ age: ' 12.5', member: 'Yes', since: '2026-01-31', zip: '01', new: '1' }),
    {
      ...{ age: 12.5, member: true, since: '2026-01-31', zip: '01', new: '1' },
    },
  );
  t.deepEqual(await read({ age: '12 years', member: '2' }), { age: '12 years', member: '2' });
  t.is(await typedValues(roster, undefined, signal), undefined);
});
