import {
  fieldErrors,
  invalidFields,
  notFound,
  resources,
  type FieldError,
  type Operation,
} from '@roster/contracts';
import { runSchema } from './run-schema.js';

/**
 * Validates the input of an operation with the schema of the contract.
 *
 * @param errors found while the input was read
 * @throws Fault `invalid` with the invalid fields; `not_found` if only the ID is malformed, because no resource can have it
 */
export function checkInput(
  { input: schema, resource }: Pick<Operation, 'input' | 'resource'>,
  input: unknown,
  errors: readonly FieldError[],
): unknown {
  const { value, issues } = runSchema(schema, input);
  if (issues.length === 0 && errors.length === 0) return value;
  const idField = resource && resources[resource].idField;
  const wrong = issues.filter(({ path }) => idField === undefined || path[0] !== idField);
  if (resource && wrong.length === 0 && errors.length === 0) throw notFound(resource);
  throw invalidFields([...errors, ...fieldErrors(wrong)]);
}
