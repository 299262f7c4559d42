import test from 'ava';
import { z } from 'zod';
import {
  eventSubject,
  operations,
  operationsOf,
  pathFieldsOf,
  resources,
  type Operation,
  type Resource,
} from '../index.js';

const all = Object.entries(operations) as [string, Operation][];
const fieldsOf = ({ input }: Operation): string[] =>
  input instanceof z.ZodObject ? Object.keys(input.shape) : [];

for (const [key, operation] of all) {
  const { name, resource, faults, scope, http } = operation;
  const { idField } = resource ? (resources[resource] as Resource) : {};
  const binding = http ?? operation.admin;
  const pathFields = binding ? pathFieldsOf(binding) : [];

  test(`${key} is declared consistently`, (t) => {
    t.is(name, key, `libs/contracts: the operation ${key} is declared with the name ${name}`);
    t.true(
      key in operationsOf[operation.service],
      `libs/contracts/index.ts: ${key} is missing from the operations of ${operation.service}, which serves it`,
    );
    if (idField !== undefined)
      t.true(
        fieldsOf(operation).includes(idField),
        `libs/contracts: ${key} refers to a ${resource}, so its input requires the field ${idField}`,
      );
    t.is(
      faults.includes('not_found'),
      resource !== undefined || pathFields.length > 0 || isByToken(operation),
      `libs/contracts: ${key} must declare not_found if, and only if, it declares a resource or has a field in its path`,
    );
    if (!http) return;
    t.truthy(scope);
    t.deepEqual(
      http.path.match(/\{.*?\}/g) ?? [],
      pathFields.map((field) => `{${field}}`),
    );
    t.true(pathFields.length <= 1, `libs/contracts: the path of ${key} has several parameters`);
    if (idField !== undefined)
      t.deepEqual(
        pathFields,
        [idField],
        `libs/contracts: the path of ${key} must have the ID of its resource as its only parameter`,
      );
    for (const field of pathFields)
      t.false(
        (operation.input as z.ZodObject).shape[field]?.safeParse(undefined).success ?? true,
        `libs/contracts: the input of ${key} requires the field ${field} of its path`,
      );
  });
}

/** An internal operation on what a token identifies. */
const isByToken = (operation: Operation): boolean =>
  operation.scope === undefined && fieldsOf(operation).includes('token');

test('calls are sent to another operation only where it takes the same fields from the same callers', (t) => {
  const narrowed = all.filter(([, operation]) => operation.narrowed !== undefined);
  t.true(narrowed.length > 0);
  for (const [name, operation] of narrowed) {
    const other: Operation = operations[operation.narrowed!.operation as keyof typeof operations];
    for (const part of ['service', 'access', 'scope'] as const)
      t.is(other[part], operation[part], part);
    t.true(other.partOf?.includes(name));
    t.deepEqual(
      fieldsOf(operation).filter((field) => !fieldsOf(other).includes(field)),
      [],
    );
  }
});

test('the services that an operation calls have an operation for it', (t) => {
  const called = new Set(
    all.flatMap(([, { service, calledBy = [] }]) => calledBy.map((from) => `${from} ${service}`)),
  );
  const calls = all.flatMap(([name, { service, callsServices = [] }]) =>
    callsServices.map((other) => ({ name, service, other })),
  );
  t.true(calls.length > 0);
  for (const { name, service, other } of calls)
    t.true(called.has(`${service} ${other}`), `${other} has no operation for ${name}`);
});

test('of the operations of callers, only some of the webhooks service, which hashes inputs of repeatable calls with a key, have a secret in their input', (t) => {
  const found = all.filter(
    ([, operation]) =>
      operation.scope !== undefined &&
      fieldsOf(operation).some((field) => /token|secret|password/i.test(field)),
  );
  t.deepEqual(
    found.map(([key]) => key),
    ['webhooks.create', 'webhooks.rotate-token'],
  );
});

test('every operation that returns a secret, users or the audit log declares it, so that browser tokens must name it', (t) => {
  const offered = all.filter(
    ([, { scope, requiresKey, unexposed }]) => scope && !requiresKey && !unexposed,
  );
  const returning = (isIt: (name: string, schema: JsonSchema) => boolean) =>
    offered.filter(([, { output }]) => {
      const document = z.toJSONSchema(output, { unrepresentable: 'any' }) as JsonSchema;
      return schemasIn(document).some(([name, schema]) => isIt(name, schema));
    });
  const withSecret = returning(
    (name, { type }) => type === 'string' && /token|secret|password/i.test(name),
  );
  const aboutMembers = returning((name) => ['User', 'AuditEntry', 'Session'].includes(name));
  t.true(withSecret.length > 0 && aboutMembers.length > 0);
  const declared = (by: 'containsSecret' | 'mustBeNamed') =>
    offered.filter(([, operation]) => operation[by]).map(([name]) => name);
  const names = (found: typeof offered) => found.map(([name]) => name);
  t.deepEqual(names(withSecret), declared('containsSecret'));
  t.deepEqual(names(aboutMembers), declared('mustBeNamed'));
  for (const [name, operation] of [...withSecret, ...aboutMembers])
    t.is(operation.partOf, undefined, `${name} would be allowed by the name of another`);
});

type JsonSchema = Record<string, unknown>;

/** All schemas of a document, with the name of the field or definition. */
function schemasIn(document: JsonSchema): [string, JsonSchema][] {
  const inside = Object.entries(document).filter(
    (entry): entry is [string, JsonSchema] => typeof entry[1] === 'object' && entry[1] !== null,
  );
  return inside.flatMap(([name, schema]) => [[name, schema], ...schemasIn(schema)]);
}

test('no operation has a subject that the stream of events records', (t) => {
  const [recorded] = eventSubject('wksp_1', '*').split('.');
  t.deepEqual(
    all.filter(([name]) => name.split('.')[0] === recorded),
    [],
  );
});

test('nouns and ID fields of resources are unique', (t) => {
  const given = Object.values(resources);
  for (const part of ['idField', 'noun'] as const)
    t.is(new Set(given.map((resource) => resource[part])).size, given.length);
});
