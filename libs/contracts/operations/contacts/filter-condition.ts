/** What a tag, or the value of a property, must be. */
export type FilterCondition =
  /** The contact has this tag, or this value. */
  | { is: string }
  | { any: string[] }
  /** The complement of `any`: also contacts without tags, or without the property. */
  | { none: string[] }
  | { exists: boolean }
  /** In the order of code points, in which timestamps and dates of ISO 8601 are ordered by time. */
  | { than: '>' | '>=' | '<' | '<='; value: string };

/** Why a text is no condition, as a sentence about it. */
export interface ConditionProblem {
  problem: string;
}

/** Values of one condition, and of all conditions on tags, or on properties, together. */
export const conditionValuesMax = { each: 20, all: 40 };

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/**
 * Reads a condition: `any:a,b`, `none:a,b`, `not:a`, `exists`, `missing`, `gt:a`, `gte:a`, `lt:a`, `lte:a`, or `is:a`, which any other
 * text means as well. A value of a list that contains a comma is quoted, with quotes in it doubled, or has `%2C` for it.
 *
 * @param isOrdered whether values can be compared
 */
export function readCondition(
  text: string,
  isOrdered: boolean,
): FilterCondition | ConditionProblem {
  if (text === 'exists' || text === 'missing') return { exists: text === 'exists' };
  const [, prefix = '', value = ''] = /^(any|none|not|is|gte?|lte?):(.*)$/s.exec(text) ?? [];
  if (prefix === 'is') return { is: value };
  if (prefix === 'not') return { none: [value] };
  if (prefix === 'any' || prefix === 'none') {
    const values = valuesIn(value);
    if (values === undefined)
      return { problem: 'must close each quote, and continue after it with a comma' };
    if (values.length > conditionValuesMax.each)
      return { problem: `must have at most ${conditionValuesMax.each} values after ${prefix}:` };
    return prefix === 'any' ? { any: values } : { none: values };
  }
  if (isOrdered && prefix in comparisons)
    return { than: comparisons[prefix as keyof typeof comparisons], value };
  return { is: text };
}

/** The values of a condition. */
export function valuesOf(condition: FilterCondition): string[] {
  if ('is' in condition) return [condition.is];
  if ('any' in condition) return condition.any;
  if ('none' in condition) return condition.none;
  return 'value' in condition ? [condition.value] : [];
}

/** Undefined if a quote is not closed, or followed by anything but a comma. */
function valuesIn(list: string): string[] | undefined {
  const values: string[] = [];
  const entry = /(?:"((?:[^"]|"")*)"|((?!")[^,]*))(,|$)/y;
  for (;;) {
    const [, quoted, plain = '', comma] = entry.exec(list) ?? [];
    if (comma === undefined) return undefined;
    values.push(
      quoted === undefined ? plain.replaceAll(/%2c/gi, ',') : quoted.replaceAll('""', '"'),
    );
    if (comma === '') return values;
  }
}
