import test from 'ava';
import { z } from 'zod';
import { operations, operationsOf, resources, type Operation, type Resource } from '../index.js';

const all = Object.entries(operations) as [string, Operation][];
const fieldsOf = ({ input }: Operation): string[] =>
  input instanceof z.ZodObject ? Object.keys(input.shape) : [];

for (const [key, operation] of all) {
  const { name, resource, faults, scope, http } = operation;
  const { idField } = resource ? (resources[resource] as Resource) : {};

  test(`${key} is declared consistently`, (t) => {
    t.is(name, key, `libs/contracts: the operation ${key} is declared with the name ${name}`);
    t.true(
      key in operationsOf[operation.service],
      `libs/contracts/index.ts: ${key} is not among the operations of ${operation.service}, which answers it`,
    );
    if (idField !== undefined)
      t.true(
        fieldsOf(operation).includes(idField),
        `libs/contracts: ${key} is about a ${resource}, so its input needs the field ${idField}`,
      );
    t.is(
      faults.includes('not_found'),
      resource !== undefined,
      `libs/contracts: ${key} may answer not_found if, and only if, it says which resource it is about`,
    );
    if (!http) return;
    t.truthy(scope);
    t.deepEqual(
      http.path.match(/\{.*?\}/g) ?? [],
      idField === undefined ? [] : [`{${idField}}`],
      `libs/contracts: the path of ${key} has the id of its resource as its parameter, and no other`,
    );
  });
}

test('every resource has a noun and an id field of its own', (t) => {
  const given = Object.values(resources);
  for (const part of ['idField', 'noun'] as const)
    t.is(new Set(given.map((resource) => resource[part])).size, given.length);
});
