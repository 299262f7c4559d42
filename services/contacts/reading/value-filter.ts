import { readCondition, type FilterCondition } from '@roster/contracts';

/** The conditions of a filter on tags, or on properties, as statements take them. */
export interface ValueFilter {
  /** JSON of the values that a contact must have; null if there are none. */
  contained: string | null;
  /** A predicate in jsonpath for the other conditions; null if there are none. */
  predicate: string | null;
  /** Whether one of a list of values must occur: an index finds them. */
  hasAny: boolean;
  /** Whether there are conditions that no index finds. */
  hasOthers: boolean;
}

interface OnValue<Condition = FilterCondition> {
  condition: Condition;
  /** What it is about, in jsonpath. */
  path: string;
}

export function tagFilter(tag: readonly string[] = []): ValueFilter {
  const all = tag.map((text) => ({ condition: conditionIn(text, false), path: '$[*]' }));
  const tags = all.flatMap(({ condition }) => ('is' in condition ? [condition.is] : []));
  return filterOf(all, tags.length > 0 ? JSON.stringify(tags) : null);
}

export function propertyFilter(property: Readonly<Record<string, string>> = {}): ValueFilter {
  const all = Object.entries(property).map(([name, text]) => ({
    name,
    condition: conditionIn(text, true),
    path: `$.${JSON.stringify(name)}`,
  }));
  const values = all.flatMap(({ name, condition }) =>
    'is' in condition ? [[name, condition.is] as const] : [],
  );
  return filterOf(all, values.length > 0 ? JSON.stringify(Object.fromEntries(values)) : null);
}

function filterOf(all: readonly OnValue[], contained: string | null): ValueFilter {
  const rest = all.flatMap(({ condition, path }) =>
    'is' in condition ? [] : [{ condition, path }],
  );
  return {
    contained,
    predicate: rest.length > 0 ? rest.map(predicateOf).join(' && ') : null,
    hasAny: rest.some(({ condition }) => 'any' in condition),
    hasOthers: rest.some(({ condition }) => !('any' in condition)),
  };
}

/** The contract has checked it. */
function conditionIn(text: string, isOrdered: boolean): FilterCondition {
  const read = readCondition(text, isOrdered);
  if ('problem' in read) throw new Error(read.problem);
  return read;
}

/** jsonpath compares strings by their code points, as the collation "C" does. */
function predicateOf({
  condition,
  path,
}: OnValue<Exclude<FilterCondition, { is: string }>>): string {
  if ('any' in condition) return `(${anyOf(condition.any, path)})`;
  if ('none' in condition) return `!(${anyOf(condition.none, path)})`;
  if ('exists' in condition) return `${condition.exists ? '' : '!'}exists(${path})`;
  return `(${path} ${condition.than} ${JSON.stringify(condition.value)})`;
}

const anyOf = (values: readonly string[], path: string): string =>
  values.map((value) => `${path} == ${JSON.stringify(value)}`).join(' || ');
