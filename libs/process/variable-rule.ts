import { z } from 'zod';

/**
 * What the value of an environment variable must be, if its type is a number or one of several words. Other types have messages of
 * their own.
 */
export function ruleOf(type: z.ZodType): string | undefined {
  const words = schemaOf(type, 'input').enum;
  if (words) return `must be ${listOf(words.map(String))}`;
  const { type: kind, minimum, maximum, exclusiveMinimum } = schemaOf(type, 'output');
  if (kind !== 'number' && kind !== 'integer') return undefined;
  const isInteger = kind === 'integer';
  const above = exclusiveMinimum === undefined || isInteger ? [] : [`above ${exclusiveMinimum}`];
  const least =
    isInteger && exclusiveMinimum !== undefined ? Number(exclusiveMinimum) + 1 : minimum;
  const from =
    least === undefined || least === Number.MIN_SAFE_INTEGER ? [] : [`at least ${least}`];
  const to =
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`at most ${maximum}`];
  return ['must be ' + (isInteger ? 'an integer' : 'a number'), ...above, ...from, ...to].join(
    ', ',
  );
}

const schemaOf = (type: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(type, { io, unrepresentable: 'any' });

const listOf = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
