import type { z } from 'zod';
import { fieldErrorsMax, type FieldError } from './fault.js';

/** Converts Zod issues to JSON Pointers (RFC 6901) with a message each. A value of the wrong type has one error, that of its type. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  const mistyped = new Set(issues.filter(isType).map(({ path }) => pointerTo(path)));
  return issues.flatMap((issue) => {
    // Zod also checks the length of a string where an array is required.
    if (!isType(issue) && mistyped.has(pointerTo(issue.path))) return [];
    if (issue.code === 'unrecognized_keys') {
      // One issue has the unknown fields of an object, of which there may be thousands.
      return issue.keys.slice(0, fieldErrorsMax + 1).map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        message: 'is not a known field',
      }));
    }
    const message =
      issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [{ pointer: pointerTo(issue.path), message: reworded(issue, message) }];
  });
}

const isType = ({ code }: z.core.$ZodIssue): boolean => code === 'invalid_type';

/** The JSON Pointer of a path. */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => `/${String(part).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');

/** Zod's own messages are replaced; those of the contracts say what is allowed already. */
function reworded(issue: z.core.$ZodIssue, message: string): string {
  if (!/^(?:Invalid input|Invalid option|Too big|Too small): /.test(message)) return message;
  if (issue.code === 'invalid_type') {
    const given = message.split(' ').at(-1)!;
    if (given === 'undefined') return 'is required';
    // A number for an integer has a fraction.
    if (issue.expected === 'int' && given === 'number') return 'must be a whole number';
    return `must be ${withArticle(issue.expected)}, not ${withArticle(given)}`;
  }
  if (issue.code === 'invalid_value')
    return issue.values.length === 1
      ? `must be ${JSON.stringify(issue.values[0])}`
      : `must be one of ${issue.values.map(shownValue).join(', ')}`;
  if (issue.code === 'too_small')
    return `must ${sizeWords(issue.origin, 'at least', issue.minimum)}`;
  if (issue.code === 'too_big') return `must ${sizeWords(issue.origin, 'at most', issue.maximum)}`;
  return message.replace(/^[^:]+: /, '');
}

/** A value in a sentence: in quotes if it is no word. */
const shownValue = (value: unknown): string =>
  typeof value === 'string' && !/^-?[\w.]+$/.test(value) ? JSON.stringify(value) : String(value);

/** The type of a JSON value in a sentence. `null` and `NaN` have no article. */
const withArticle = (type: string): string => typeWords[type] ?? type;

const typeWords: Record<string, string> = {
  array: 'an array',
  boolean: 'a boolean',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function sizeWords(origin: string, bound: string, limit: number | bigint): string {
  const isOne = Number(limit) === 1;
  if (origin === 'string') return `have ${bound} ${limit} ${isOne ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'object')
    return `have ${bound} ${limit} ${isOne ? 'entry' : 'entries'}`;
  return `be ${bound} ${limit}`;
}
