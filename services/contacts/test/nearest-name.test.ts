import test from 'ava';
import { nearestName } from '../writing/definitions/nearest-name.js';

test('the nearest name differs by an insertion, a deletion, a substitution or a transposition, ignoring case', (t) => {
  const names = ['city', 'country', 'postalCode'];
  for (const name of ['citty', 'cty', 'cita', 'ctiy', 'CITY'])
    t.is(nearestName(name, names), 'city');
  t.is(nearestName('postlaCoed', names), 'postalCode');
  t.is(nearestName('street', names), undefined);
  t.is(nearestName('ab', ['ac']), undefined);
});

test('names of the maximum length are compared, whatever was compared before', (t) => {
  const long = 'a'.repeat(64);
  t.is(
    nearestName(`b${long.slice(1)}`, ['x', `c${long.slice(1)}`, 'y'.repeat(64)]),
    `c${long.slice(1)}`,
  );
  t.is(nearestName(long, ['a'.repeat(60), 'a'.repeat(61)]), 'a'.repeat(61));
  t.is(nearestName(`${long.slice(5)}vwxyz`, [`${long.slice(5)}12345`]), undefined);
});
