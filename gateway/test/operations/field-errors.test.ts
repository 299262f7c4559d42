import { Fault, operations, type FieldError, type Operation } from '@roster/contracts';
import { sampleInput } from '@roster/testing';
import test from 'ava';
import { checkInput } from '../../operations/check-input.js';
import { wrongInputs } from './wrong-inputs.js';

for (const [name, fields] of Object.entries(wrongInputs)) {
  const operation: Operation = operations[name as keyof typeof wrongInputs];
  for (const [field, value, message, pointer = `/${field}`] of fields) {
    const shown = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60);
    test(`${name}: ${field} ${shown} ${message}`, (t) =>
      t.deepEqual(errorsOf(operation, field, value), [{ pointer, message }]));
  }
}

const values = [undefined, null, true, 0.5, -1, 1e9, '', '\0', [], [7], {}, { a: [] }];
const clear = /^(?:is|must|cannot) (?!.*(?:expected|received|undefined|Invalid))/;

// Fields that are added to the contracts need no rows for this.
for (const operation of Object.values(operations) as Operation[]) {
  if (!operation.scope) continue;
  const { shape } = operation.input as unknown as { shape: object };
  test(`${operation.name}: no message about a field is in the words of the validator`, (t) => {
    const messages = Object.keys(shape).flatMap((field) =>
      values.flatMap((value) => errorsOf(operation, field, value).map(({ message }) => message)),
    );
    t.deepEqual(
      messages.filter((message) => !clear.test(message)),
      [],
    );
  });
}

/** The errors of a valid input after a change of one field. A malformed ID of the resource has none: it is not found. */
function errorsOf(operation: Operation, field: string, value: unknown): FieldError[] {
  const { [field]: _, ...others } = sampleInput(operation);
  try {
    checkInput(operation, { ...others, ...(value !== undefined && { [field]: value }) }, []);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.details.errors ?? [];
  }
}
