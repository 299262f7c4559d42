import {
  invalidFields,
  notFound,
  resources,
  type FieldError,
  type Operation,
} from '@roster/contracts';
import { z } from 'zod';
import { fieldErrors } from './field-errors.js';

/** Bounds the response to a body with many invalid fields. */
const errorsMax = 1000;

/**
 * Validates the input of an operation with the schema of the contract.
 *
 * @param errors found while the input was read
 * @throws Fault `invalid` with every invalid field; `not_found` if only the ID is malformed, because no resource can have it
 */
export function checkInput(
  { input: schema, resource }: Pick<Operation, 'input' | 'resource'>,
  input: unknown,
  errors: readonly FieldError[],
): unknown {
  const { value, issues } = parse(schema, input);
  if (issues.length === 0 && errors.length === 0) return value;
  const idField = resource && resources[resource].idField;
  const wrong = issues.filter(({ path }) => idField === undefined || path[0] !== idField);
  if (resource && wrong.length === 0 && errors.length === 0) throw notFound(resource);
  throw invalidFields([...errors, ...fieldErrors(wrong)].slice(0, errorsMax));
}

/**
 * Like `safeParse`, without its result object. That of a failed parse has its own getter and therefore its own hidden class,
 * which V8 retains, with everything that it references, until a full garbage collection. Measured with invalid input: 2 µs and
 * 82 MB instead of 7 µs and 210 MB.
 */
function parse(schema: z.ZodType, input: unknown): { value: unknown; issues: z.core.$ZodIssue[] } {
  const context = { async: false };
  const parsed = schema._zod.run({ value: input, issues: [] }, context);
  if (parsed instanceof Promise)
    throw new TypeError('the schema of a contract must be synchronous');
  const { value, issues } = parsed;
  return {
    value,
    issues: issues.map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())),
  };
}
