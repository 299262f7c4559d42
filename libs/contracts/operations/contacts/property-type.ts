/** Types of the values of a contact property. A date is a string in JSON. */
export const contactPropertyTypes = ['string', 'number', 'boolean', 'date'] as const;
export type ContactPropertyType = (typeof contactPropertyTypes)[number];

/** Bounds of a change of a type. Its transaction, for which other writes of the workspace wait, converts values. */
export const propertyTypeLimits = {
  /** Values that are converted at most. */
  converted: 5000,
  /** Contacts with contradicting values that are named. */
  contacts: 5,
  /** Contacts that one statement reads, and how long all may be read. */
  rows: 20_000,
  ms: 3000,
} as const;

export type PropertyValue = string | number | boolean;

/** What a value of a type is, in a sentence. */
export const propertyTypeWords: Readonly<Record<ContactPropertyType, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date of the calendar, as 2026-01-31',
};

export function isOfType(type: ContactPropertyType, value: PropertyValue): boolean {
  return type === 'date' ? typeof value === 'string' && isDate(value) : typeof value === type;
}

/** The value of a type that a text means, such as a cell of a file. Undefined if it means none. */
export function readAsType(type: ContactPropertyType, text: string): PropertyValue | undefined {
  if (type === 'string') return text;
  const trimmed = text.trim();
  if (type === 'number') return decimal.test(trimmed) ? heldNumber(Number(trimmed)) : undefined;
  if (type === 'date') return isDate(trimmed) ? trimmed : undefined;
  return booleans.get(trimmed.toLowerCase());
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Of doubles, all from 2^53 on are integers of which they cannot hold each. Without a negative zero, which JSON text cannot tell. */
const heldNumber = (value: number): number | undefined =>
  Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value + 0 : undefined;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

const dateText = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a day of the calendar, from the year 1 on. */
function isDate(text: string): boolean {
  if (!dateText.test(text) || text.startsWith('0000')) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
