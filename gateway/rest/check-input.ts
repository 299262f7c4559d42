import { Fault, type FieldError } from '@roster/contracts';
import { z } from 'zod';
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
  const { value, issues } = parse(schema, input);
  if (issues.length === 0 && errors.length === 0) return value;
  const wrong = issues.filter((issue) => !ids.includes(issue.path[0] as string));
  if (wrong.length === 0 && errors.length === 0) return undefined;
  throw new Fault('invalid', 'Some fields are not right.', {
    errors: [...errors, ...fieldErrors(wrong)].slice(0, errorsMax),
  });
}

/**
 * What `safeParse` does, without its result: one that failed has a getter of its own, and with it a hidden class, which V8 keeps
 * with all that hangs on it until a full collection.
 */
function parse(schema: z.ZodType, input: unknown): { value: unknown; issues: z.core.$ZodIssue[] } {
  const context = { async: false };
  const parsed = schema._zod.run({ value: input, issues: [] }, context);
  if (parsed instanceof Promise) throw new TypeError('a contract is checked at once');
  const { value, issues } = parsed;
  return {
    value,
    issues: issues.map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())),
  };
}
