import type { PreviewedColumn } from './preview.js';

/** `unsubscribed` is another way to write the status. */
export const fields = [
  'email',
  'name',
  'tags',
  'addTags',
  'removeTags',
  'status',
  'unsubscribed',
  'externalId',
] as const;

/** What becomes of a column: a field, `properties.city`, or nothing. */
export type Target = string;

/** By what people call the columns of addresses and names. */
const guesses: readonly [RegExp, Target][] = [
  [/^(?:e-?mail|mail|e-?mail[ _-]?address|address)$/i, 'email'],
  [/^(?:full[ _-]?name|display[ _-]?name)$/i, 'name'],
  [/^(?:tag|labels?)$/i, 'tags'],
  [/^external[ _-]?id$/i, 'externalId'],
];

/**
 * The proposed mapping: what the gateway does by itself, then what the names mean. Every field at most once.
 *
 * @param properties that the workspace has: their names may not differ only by case
 */
export function proposedMapping(
  columns: readonly PreviewedColumn[],
  properties: readonly string[],
): Target[] {
  const taken = new Set<Target>();
  const take = (target: Target | undefined): Target | undefined => {
    if (target === undefined || target === '') return target;
    if (taken.has(target)) return undefined;
    taken.add(target);
    return target;
  };
  const existing = new Map(properties.map((name) => [name.toLowerCase(), `properties.${name}`]));
  const asDefined = (target: Target | undefined): Target | undefined =>
    existing.get(target?.replace(/^properties\./, '').toLowerCase() ?? '') ?? target;
  const own = columns.map((column) => take(asDefined(ownTarget(column))));
  return columns.map(({ name }, at) => {
    if (own[at] !== undefined) return own[at];
    const guess = guesses.find(([pattern]) => pattern.test(name))?.[1];
    return take(guess) ?? take(asDefined(propertyOf(name))) ?? '';
  });
}

/** What the gateway makes of a column that is not mapped. Undefined for one that is better mapped. */
function ownTarget({ name, field, problem }: PreviewedColumn): Target | undefined {
  if (problem !== null) return undefined;
  const isGuessed = field?.startsWith('properties.') && guesses.some(([one]) => one.test(name));
  return isGuessed ? undefined : (field ?? '');
}

/** `First name` becomes `properties.first_name`. */
export function propertyOf(name: string): Target | undefined {
  const property = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '')
    .slice(0, 64);
  return property === '' ? undefined : `properties.${property}`;
}

/** The values of `map`: only of columns that the gateway would not map so by itself. */
export const mapOf = (columns: readonly PreviewedColumn[], targets: readonly Target[]): string[] =>
  columns.flatMap((column, at) => {
    const target = targets[at]!;
    return target === ownTarget(column) ? [] : [`${column.name}:${target}`];
  });
