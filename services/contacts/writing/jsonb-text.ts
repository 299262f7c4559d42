import type { PropertyValue } from '@roster/contracts';

/**
 * The text that PostgreSQL returns for an array of strings or an object of values of properties of the type `jsonb`. A created contact is answered with it, so
 * that a later read returns the same bytes.
 */
export const jsonbText = (
  value: readonly string[] | Readonly<Record<string, PropertyValue>>,
): string => (Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : `{${membersOf(value)}}`);

const quoted = (text: string): string => JSON.stringify(text);

const textOf = (value: PropertyValue): string =>
  typeof value === 'number' ? decimalText(value) : JSON.stringify(value);

/** Without an exponent. JSON has a negative one for small numbers, and none for others up to 2^53. */
function decimalText(value: number): string {
  const [digits = '', exponent] = JSON.stringify(value).split('e-');
  if (exponent === undefined) return digits;
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(digits)!;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

const membersOf = (value: object): string =>
  Object.entries(value)
    .toSorted(([one], [other]) => inOrder(one, other))
    .map(([name, value]) => `${quoted(name)}: ${textOf(value as PropertyValue)}`)
    .join(', ');

/** Shorter names come first, then the lesser bytes. */
const inOrder = (one: string, other: string): number =>
  Buffer.byteLength(one) - Buffer.byteLength(other) ||
  Buffer.compare(Buffer.from(one), Buffer.from(other));
