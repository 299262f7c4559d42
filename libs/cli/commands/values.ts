import { InvalidArgumentError } from '@commander-js/extra-typings';
import { eventKinds, scopes, type EventKind, type ListContactsInput } from '@roster/client';

/** Collects the values of an option that can be repeated. */
export const collect = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  value,
];

export const tagHelp =
  'only with this tag, or that match any:a,b none:a,b not:a exists missing; repeat it: all must match';
export const propertyHelp =
  'only with this value of the property, or that match any:a,b none:a,b not:a exists missing gt:a gte:a lt:a lte:a; repeat it: all must match';

/** Collects `name=value`. */
export function collectPairs(
  text: string,
  before: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Collects `name=condition`: several of one name are a list. */
export function collectConditions(
  text: string,
  before: Readonly<Record<string, string | string[]>> | undefined,
): Record<string, string | string[]> {
  const [[name, condition]] = Object.entries(collectPairs(text, undefined)) as [[string, string]];
  const former = before?.[name];
  return { ...before, [name]: former === undefined ? condition : [former, condition].flat() };
}

/** An object as JSON, or null. Its fields are checked by the API. */
export function json(text: string): Record<string, never> | null {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && !Array.isArray(value)) return value as null;
  } catch {}
  throw new InvalidArgumentError('It must be an object as JSON, or null.');
}

/** Separates a list at commas. */
export const separate = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** An order of contacts. */
export function order(text: string): ContactSort {
  if (!/^-?(?:createdAt|email|name|updatedAt|property:.+)$/.test(text))
    throw new InvalidArgumentError(
      'Orders are createdAt, email, name, updatedAt and property:name, also with a minus in front.',
    );
  return text as ContactSort;
}

type ContactSort = NonNullable<ListContactsInput['sort']>;

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** As the API takes times, of which some are exact to the microsecond. */
const isExact = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A time: as ISO 8601, or as how long ago it was, such as `30m`, `2h` or `7d`. */
export function time(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined)
    return new Date(Date.now() - Number(count) * unitMs[unit]!).toISOString();
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)))
    return isExact.test(text) ? text : new Date(text).toISOString();
  throw new InvalidArgumentError(
    'It must be a time such as 2026-01-31T12:00:00Z, or 2h ago as 2h.',
  );
}

/** Leaves out what is undefined, which inputs must not contain. */
export const given = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** The first rows only, if a limit is given. */
export async function* first<Row>(rows: AsyncIterable<Row>, limit: number | undefined) {
  let left = limit ?? Infinity;
  if (left === 0) return;
  for await (const row of rows) {
    yield row;
    if (--left <= 0) return;
  }
}

/** Rows of a page: as few requests as possible, and no more rows than needed. */
export const pageLimit = (limit: number | undefined): number =>
  Math.max(1, Math.min(limit ?? 100, 100));

/** Event kinds, separated by commas, in upper or lower case. */
export function kinds(text: string): EventKind[] {
  return separate(text).map(kind);
}

/** As `kinds`; `*` or `all` is all kinds, also those of later releases. */
export const subscribedKinds = (text: string): EventKind[] | ['*'] =>
  ['*', 'all'].includes(text.trim().toLowerCase()) ? ['*'] : kinds(text);

export function kind(text: string): EventKind {
  const found = eventKinds.find((one) => one === text.toUpperCase());
  if (!found) throw new InvalidArgumentError(`Event kinds are ${eventKinds.join(', ')}.`);
  return found;
}

/** Scopes, separated by commas. */
export const scopeNames = (text: string): (typeof scopes)[number][] =>
  separate(text).map((name) => {
    const found = scopes.find((one) => one === name);
    if (!found) throw new InvalidArgumentError(`Scopes are ${scopes.join(' and ')}.`);
    return found;
  });
