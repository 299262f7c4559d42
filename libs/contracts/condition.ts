/** A condition on a value, or on a set of values such as the tags of a contact. */
export type Condition =
  | { is: 'any' | 'none'; values: readonly string[] }
  | { is: 'exists' | 'missing' }
  | { is: 'gt' | 'gte' | 'lt' | 'lte'; value: string };

export const conditionValuesMax = 20;

/**
 * Reads a condition: `vip` or `is:vip`, `any:a,b`, `none:a,b`, `not:a,b` (the same), `exists`, `missing`, and `gt:`, `gte:`, `lt:` or
 * `lte:` with a value. A comma within a value is quoted (`any:"a,b",c`) or `%2C`. A prefix counts only with its colon.
 *
 * @returns the condition, or what is wrong with it
 */
export function readCondition(text: string): Condition | { problem: string } {
  if (text === 'exists' || text === 'missing') return { is: text };
  const [, prefix, rest = ''] = /^(is|any|none|not|gt|gte|lt|lte):(.*)$/s.exec(text) ?? [];
  if (prefix === undefined) return { is: 'any', values: [text] };
  if (rest === '') return { problem: `must have a value after ${prefix}:` };
  if (prefix === 'is') return { is: 'any', values: [rest] };
  if (prefix !== 'any' && prefix !== 'none' && prefix !== 'not')
    return { is: prefix as 'gt', value: rest };
  const values = split(rest);
  if (values === undefined) return { problem: 'has a quoted value without an end' };
  if (values.includes('')) return { problem: 'must not have an empty value' };
  if (values.length > conditionValuesMax)
    return { problem: `must have at most ${conditionValuesMax} values` };
  return { is: prefix === 'any' ? 'any' : 'none', values };
}

/** Undefined if a quoted value has no end. */
function split(text: string): string[] | undefined {
  const values: string[] = [];
  let rest = text;
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(?=,|$)/s.exec(rest);
    if (!quoted && rest.startsWith('"')) return undefined;
    const raw = quoted ? quoted[0] : /^[^,]*/s.exec(rest)![0];
    values.push(quoted ? quoted[1]!.replaceAll('""', '"') : raw.replaceAll(/%2c/gi, ','));
    if (raw.length === rest.length) return values;
    rest = rest.slice(raw.length + 1);
  }
}

/** Whether a set of values meets the condition: `none` and `missing` are the complements of `any` and `exists`. */
export function meets(
  condition: Condition,
  has: (value: string) => boolean,
  size: number,
): boolean {
  if (condition.is === 'any') return condition.values.some(has);
  if (condition.is === 'none') return !condition.values.some(has);
  if (condition.is === 'exists') return size > 0;
  return condition.is === 'missing' && size === 0;
}

/** Whether a value, or none, meets the condition. Numbers are compared as numbers, others as text. */
export function valueMeets(
  condition: Condition,
  value: string | number | boolean | null | undefined,
): boolean {
  if (value === null || value === undefined)
    return condition.is === 'none' || condition.is === 'missing';
  const own = String(value);
  if (!('value' in condition)) return meets(condition, (one) => one === own, 1);
  const [left, right] =
    typeof value === 'number' ? [value, Number(condition.value)] : [own, condition.value];
  if (condition.is === 'gt') return left > right;
  if (condition.is === 'gte') return left >= right;
  return condition.is === 'lt' ? left < right : left <= right;
}
