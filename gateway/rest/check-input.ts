import { Fault, type FieldError } from '@roster/contracts';
import type { z } from 'zod';
import { fieldErrors } from './field-errors.js';

/** A body of nothing but wrong fields should not be answered by a larger one. */
const errorsMax = 1000;

/**
 * An operation's input, checked by the contract's schema. Undefined when all is right but the ids, which no resource can
 * have.
 *
 * @param ids names of the fields that say which resource is meant
 * @param errors what was found wrong before
 * @throws Fault `invalid`, naming every wrong field
 */
export function checkInput(
  schema: z.ZodType,
  ids: readonly string[],
  input: unknown,
  errors: FieldError[] = [],
): unknown {
  const parsed = schema.safeParse(input);
  if (parsed.success && errors.length === 0) return parsed.data;
  const wrong = parsed.success
    ? []
    : parsed.error.issues.filter((issue) => !ids.includes(issue.path[0] as string));
  if (wrong.length === 0 && errors.length === 0) return undefined;
  throw new Fault('invalid', 'Some fields are not right.', {
    errors: [...errors, ...fieldErrors(wrong)].slice(0, errorsMax),
  });
}
