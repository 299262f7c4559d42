import { readCondition } from '@roster/contracts/filter-condition';
import { Problem } from '../../data/problem.js';
import { conditionOf, type ConditionKind } from '../contacts/condition.js';

/** A condition on the contact of an event. */
export interface FilterRow {
  /** `tag`, `status`, or `property/city`: its place in the filter. */
  about: string;
  kind: ConditionKind;
  value: string;
}

/** A filter as rows of a form. */
export interface FilterRows {
  /** One of these fields must have changed. */
  changed: string[];
  /** All of these must match. */
  conditions: FilterRow[];
}

export const propertyPrefix = 'property/';

/** @throws Problem if the text is not a JSON object */
export function filterOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return null;
  const filter = parsed(text);
  if (filter) return filter;
  const errors = [{ pointer: '/filter', message: 'must be a JSON object' }];
  throw new Problem({ detail: 'The filter is not a JSON object.', errors });
}

export const filterText = (filter: object | null | undefined): string =>
  filter ? JSON.stringify(filter) : '';

/** The rows of a filter. Undefined for one that they cannot express. */
export function rowsOf(text: string): FilterRows | undefined {
  if (text.trim() === '') return { changed: [], conditions: [] };
  const { changed = [], tag = [], status, property = {}, ...others } = parsed(text) ?? { text };
  if (Object.keys(others).length > 0 || !areTexts(changed) || !areTexts(tag)) return undefined;
  if (!isObject(property)) return undefined;
  const statuses = status === undefined ? [] : [status];
  const conditions = [
    ...tag.map((one) => rowOf('tag', one)),
    ...statuses.map(statusRow),
    ...Object.entries(property).flatMap(([name, given]) =>
      [given].flat().map((one) => rowOf(propertyPrefix + name, one)),
    ),
  ];
  return conditions.every((row) => row !== undefined) ? { changed, conditions } : undefined;
}

/** The filter of rows, as JSON; empty without any. */
export function textOf({ changed, conditions }: FilterRows): string {
  const tag: string[] = [];
  const filter: Record<string, unknown> = changed.length > 0 ? { changed } : {};
  const property: Record<string, string | string[]> = {};
  for (const { about, kind, value } of conditions) {
    if (about === 'tag') tag.push(conditionOf(kind, value));
    else if (about === 'status') filter['status'] = value;
    else {
      const name = about.slice(propertyPrefix.length);
      const condition = conditionOf(kind, value);
      const former = property[name];
      property[name] = former === undefined ? condition : [former, condition].flat();
    }
  }
  if (tag.length > 0) filter['tag'] = tag;
  if (Object.keys(property).length > 0) filter['property'] = property;
  return Object.keys(filter).length === 0 ? '' : JSON.stringify(filter);
}

/** Where errors of a filter can be, as `errorOf` names them: `filter/tag/0`, `filter/property/age/1`. */
export const filterPlaces = (text: string): string[] => placesIn('filter', parsed(text));

function placesIn(place: string, part: unknown): string[] {
  const parts = typeof part === 'object' && part !== null ? Object.entries(part) : [];
  return [place, ...parts.flatMap(([name, one]) => placesIn(`${place}/${escaped(name)}`, one))];
}

/** In a JSON pointer. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function rowOf(about: string, condition: unknown): FilterRow | undefined {
  if (typeof condition !== 'string') return undefined;
  const isOrdered = about !== 'tag';
  const read = readCondition(condition, isOrdered);
  if ('problem' in read) return undefined;
  const [kind, value] = wordsIn(read);
  const again = readCondition(conditionOf(kind, value), isOrdered);
  return JSON.stringify(again) === JSON.stringify(read) ? { about, kind, value } : undefined;
}

type Condition = Exclude<ReturnType<typeof readCondition>, { problem: string }>;

function wordsIn(read: Condition): [ConditionKind, string] {
  if ('is' in read) return ['is', read.is];
  if ('any' in read) return ['any', listOf(read.any)];
  if ('none' in read)
    return read.none.length === 1 ? ['not', read.none[0]!] : ['none', listOf(read.none)];
  if ('exists' in read) return [read.exists ? 'exists' : 'missing', ''];
  return [kindOfSign[read.than], read.value];
}

const kindOfSign = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' } as const;

const listOf = (values: readonly string[]): string =>
  values
    .map((one) => (/[",%]|^\s|\s$/.test(one) ? `"${one.replaceAll('"', '""')}"` : one))
    .join(', ');

const statusRow = (status: unknown): FilterRow | undefined =>
  status === 'subscribed' || status === 'unsubscribed'
    ? { about: 'status', kind: 'is', value: status }
    : undefined;

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
