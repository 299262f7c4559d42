import { Fault, fieldErrors, operations, resources, type Operation } from '@roster/contracts';
import { sampleInput } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { checkInput } from '../../operations/check-input.js';

/** Values of fields, few of which are valid. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', 'a\0', -1, 1e9, ['', '']),
);

// `checkInput` uses internals of Zod, which a minor release may change.
for (const operation of Object.values(operations) as Operation[]) {
  if (!operation.scope) continue;
  test(`parses the input of ${operation.name} and reports its errors exactly as safeParse does`, (t) => {
    const { input: schema, resource } = operation;
    const idField = resource && resources[resource].idField;
    const sample = sampleInput(operation);
    t.deepEqual(checkInput(operation, sample, []), schema.parse(sample));
    const names = [...Object.keys((schema as unknown as { shape: object }).shape), 'unknown'];
    const changes = fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1, maxKeys: 3 });
    fc.assert(
      fc.property(changes, (change) => {
        const input = { ...sample, ...change };
        const { data, error } = schema.safeParse(input);
        const invalid = error?.issues.filter(({ path }) => !idField || path[0] !== idField);
        const rejected = invalid?.length ? { errors: fieldErrors(invalid) } : { code: 'not_found' };
        const outcome = outcomeOf(() => checkInput(operation, input, []));
        t.deepEqual(outcome, error ? rejected : { data });
      }),
      { numRuns: 50 },
    );
  });
}

function outcomeOf(check: () => unknown): object {
  try {
    return { data: check() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, details } = error;
    return details.errors ? { errors: details.errors } : { code };
  }
}
