import type { FieldError } from '@roster/contracts';
import type { z } from 'zod';

/** Converts Zod issues to JSON Pointers (RFC 6901) with a message each. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        message: 'is not a known field',
      }));
    }
    const message =
      issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [{ pointer: pointerTo(issue.path), message: reworded(issue, message) }];
  });
}

export const pointerTo = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => `/${String(part).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');

function reworded(issue: z.core.$ZodIssue, message: string): string {
  if (issue.code !== 'invalid_type')
    return message.replace(/^(Invalid input|Invalid option|Too (big|small)): /, '');
  return message.endsWith('received undefined')
    ? 'is required'
    : message.replace(
        /^Invalid input: expected (.*), received (.*)$/,
        'must be of type $1, not $2',
      );
}
