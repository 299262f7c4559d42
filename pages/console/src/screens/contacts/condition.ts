import { readCondition, type FilterCondition } from '@roster/contracts/filter-condition';
import type { PropertyValue } from './property-value.js';

/** What a tag or a property must be, as the form of the filters offers it. */
export const conditionKinds = {
  is: { label: 'is', takes: 'one' },
  any: { label: 'is any of', takes: 'list' },
  not: { label: 'is not', takes: 'one' },
  none: { label: 'is none of', takes: 'list' },
  exists: { label: 'is set', takes: 'nothing' },
  missing: { label: 'is not set', takes: 'nothing' },
  gte: { label: 'is at least', takes: 'one' },
  gt: { label: 'is more than', takes: 'one' },
  lte: { label: 'is at most', takes: 'one' },
  lt: { label: 'is less than', takes: 'one' },
} as const;
export type ConditionKind = keyof typeof conditionKinds;

/** Of those, the ones that tags have: a contact has several. */
export const tagKinds: readonly ConditionKind[] = ['is', 'any', 'not', 'none', 'exists', 'missing'];

/** The condition in the API's grammar. */
export function conditionOf(kind: ConditionKind, value: string): string {
  if (kind === 'exists' || kind === 'missing') return kind;
  if (kind === 'any' || kind === 'none') return `${kind}:${value.replaceAll(aroundComma, ',')}`;
  const isPlain = kind === 'is' && 'is' in readCondition(value, true) && !value.startsWith('is:');
  return isPlain ? value : `${kind}:${value}`;
}

/** A comma outside of quotes, with its spaces. */
const aroundComma = /\s*,\s*(?=(?:[^"]*"[^"]*")*[^"]*$)/g;

/** Why the API would refuse a condition. */
export function problemOf(condition: string): string | undefined {
  const read = readCondition(condition, true);
  return 'problem' in read ? read.problem : undefined;
}

/** A condition in words: what the name of the tag or property is followed by, and the values. */
export function wordsOf(condition: string, isOrdered: boolean): { verb: string; value: string } {
  const read = readCondition(condition, isOrdered);
  if ('problem' in read) return { verb: '', value: condition };
  if ('is' in read) return { verb: '', value: read.is };
  if ('any' in read) return { verb: 'any of', value: read.any.join(', ') };
  if ('none' in read)
    return { verb: read.none.length > 1 ? 'none of' : 'not', value: read.none.join(', ') };
  if ('exists' in read) return { verb: '', value: read.exists ? 'is set' : 'is not set' };
  return { verb: signs[read.than], value: read.value };
}

const signs = { '>': '>', '>=': '≥', '<': '<', '<=': '≤' };

/** @param values the tags of a contact, or the value of its property if it has it */
export function isMet(
  condition: string,
  values: readonly PropertyValue[],
  isOrdered: boolean,
): boolean {
  const read = readCondition(condition, isOrdered);
  return 'problem' in read ? false : meets(read, values);
}

function meets(condition: FilterCondition, values: readonly PropertyValue[]): boolean {
  const isOne = (text: string) => values.some((value) => readAs(value, text) === value);
  if ('is' in condition) return isOne(condition.is);
  if ('any' in condition) return condition.any.some(isOne);
  if ('none' in condition) return !condition.none.some(isOne);
  if ('exists' in condition) return values.length > 0 === condition.exists;
  const { than, value: text } = condition;
  return values.some((one) => {
    const value = readAs(one, text);
    return one === value ? than.endsWith('=') : one > value === than.startsWith('>');
  });
}

/** A text of a condition as a value of the type of another one. */
const readAs = (other: PropertyValue, text: string): PropertyValue => {
  if (typeof other === 'number') return Number(text);
  return typeof other === 'boolean' ? /^(?:true|yes|1)$/i.test(text) : text;
};
