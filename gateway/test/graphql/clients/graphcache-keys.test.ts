import { readFileSync } from 'node:fs';
import test from 'ava';
import { isObjectType } from 'graphql';
import { buildRosterSchema } from '../../../graphql/build-schema.js';

/** Graphcache expects no keys of these: https://nearform.com/open-source/urql/docs/graphcache/normalized-caching/ */
const embedded = /^__|Connection$|Edge$|^PageInfo$|^Query$|^Mutation$|^Subscription$/;
/** Results of the fields of mutations are not stored as objects of their own. */
const payload = /Payload$/;

test('the guide names every type without an ID for the keys of Graphcache', (t) => {
  const guide = readFileSync(new URL('../../../../graphql/README.md', import.meta.url), 'utf8');
  const named = [...guide.matchAll(/^ {4}(\w+): noKey,$/gm)].map(([, name]) => name!);
  const types = Object.values(buildRosterSchema().getTypeMap()).filter(
    (type) =>
      isObjectType(type) &&
      !type.getFields()['id'] &&
      ![embedded, payload].some((one) => one.test(type.name)),
  );
  t.deepEqual(named, types.map(({ name }) => name).toSorted());
});
