import {
  propertyTypeWords,
  readAsType,
  readCondition,
  valuesOf,
  type ContactPropertyType,
  type FieldError,
  type FilterCondition,
  type PropertyValue,
} from '@roster/contracts';

/** The types of properties by their names. Those that it lacks are strings. */
export type PropertyTypes = ReadonlyMap<string, ContactPropertyType>;
export const noTypes: PropertyTypes = new Map();

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
  /** The value that a text of the condition means, in JSON. */
  jsonOf: (text: string) => string;
  negated: (predicate: string) => string;
  /** What it is about, in jsonpath. */
  path: string;
}

export function tagFilter(tag: readonly string[] = []): ValueFilter {
  const all = tag.map((text) => ({
    condition: conditionIn(text, false),
    jsonOf: quoted,
    negated: (predicate: string) => `!(${predicate})`,
    path: '$[*]',
  }));
  const tags = all.flatMap(({ condition }) => ('is' in condition ? [condition.is] : []));
  return filterOf(all, tags.length > 0 ? JSON.stringify(tags) : null);
}

/** One condition or several on each property. */
type PropertyConditions = Readonly<Record<string, string | readonly string[]>>;

const conditionsIn = (
  property: PropertyConditions,
): [name: string, text: string, pointer: string][] =>
  Object.entries(property).flatMap(([name, given]) =>
    typeof given === 'string'
      ? [[name, given, `/property/${name}`]]
      : given.map((text, at): [string, string, string] => [name, text, `/property/${name}/${at}`]),
  );

/** @param types those with which `propertyErrors` finds none */
export function propertyFilter(
  property: PropertyConditions = {},
  types: PropertyTypes,
): ValueFilter {
  const all = conditionsIn(property).map(([name, text]) => ({
    name,
    condition: conditionIn(text, true),
    jsonOf: (value: string) => JSON.stringify(valueOf(types.get(name), value)),
    // A value of another type, from before the property was defined again, is neither equal nor unequal to others.
    negated: (predicate: string) => `!exists($ ? (${predicate}))`,
    path: `$.${JSON.stringify(name)}`,
  }));
  const values = all.flatMap(({ name, condition, jsonOf }) =>
    'is' in condition ? [`${JSON.stringify(name)}:${jsonOf(condition.is)}`] : [],
  );
  return filterOf(all, values.length > 0 ? `{${values.join(',')}}` : null);
}

/** What is wrong with values in a filter, which must be of the types of their properties. */
export const propertyErrors = (
  property: PropertyConditions = {},
  types: PropertyTypes,
): FieldError[] =>
  conditionsIn(property).flatMap(([name, text, pointer]) => {
    const type = types.get(name);
    if (type === undefined || type === 'string') return [];
    const condition = conditionIn(text, true);
    if (type === 'boolean' && 'than' in condition)
      return [{ pointer, message: 'must not compare true and false, which have no order' }];
    return valuesOf(condition).every((value) => readAsType(type, value) !== undefined)
      ? []
      : [
          {
            pointer,
            message: `must have values of the type ${type}, each ${propertyTypeWords[type]}`,
          },
        ];
  });

const quoted = (text: string): string => JSON.stringify(text);

function valueOf(type: ContactPropertyType = 'string', text: string): PropertyValue {
  const value = readAsType(type, text);
  if (value === undefined) throw new Error(`a condition has a value that is no ${type}`);
  return value;
}

function filterOf(all: readonly OnValue[], contained: string | null): ValueFilter {
  const rest = all.flatMap(({ condition, ...value }) =>
    'is' in condition ? [] : [{ condition, ...value }],
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
  jsonOf,
  negated,
  path,
}: OnValue<Exclude<FilterCondition, { is: string }>>): string {
  if ('any' in condition) return `(${anyOf(condition.any, path, jsonOf)})`;
  if ('none' in condition) return negated(anyOf(condition.none, path, jsonOf));
  if ('exists' in condition) return `${condition.exists ? '' : '!'}exists(${path})`;
  return `(${path} ${condition.than} ${jsonOf(condition.value)})`;
}

const anyOf = (values: readonly string[], path: string, jsonOf: OnValue['jsonOf']): string =>
  values.map((value) => `${path} == ${jsonOf(value)}`).join(' || ');
