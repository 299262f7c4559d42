/** The part of JSON Schema that `z.toJSONSchema` generates. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  [limit: string]: unknown;
}

export interface Comparison {
  /** Whether additional fields are allowed: readers of a response ignore unknown fields. */
  open: boolean;
  /**
   * Whether `given` may have more values than an enumeration of `takes`: a service of the former release refuses a request with a
   * new value as invalid, like one above its limits, until it is upgraded.
   */
  newValues?: boolean;
}

/**
 * The reasons why a value that `given` allows may be rejected by `takes`; empty if there are none. Constructs that
 * are not compared count as a reason, unless both are equal. Each reason begins with its path.
 */
export function refusals(given: Schema, takes: Schema, comparison: Comparison, at = ''): string[] {
  if (same(given, takes) || takesAnything(takes)) return [];
  const alternatives = given.anyOf ?? given.oneOf;
  if (alternatives) return alternatives.flatMap((one) => refusals(one, takes, comparison, at));
  const choices = takes.anyOf ?? takes.oneOf;
  if (choices) {
    const all = choices.map((choice) => refusals(given, choice, comparison, at));
    return all.some((reasons) => reasons.length === 0) ? [] : (all[0] ?? []);
  }
  if (given.allOf ?? takes.allOf) return [`${at}: differs in a way that is not compared`];
  const values = valuesOf(given);
  if (values && comparison.newValues && valuesOf(takes)?.every((value) => values.includes(value)))
    return [];
  if (values) return values.flatMap((value) => refusalOf(value, takes, at));
  if (valuesOf(takes)) return [`${at}: accepts only certain values`];
  return [
    ...refusedTypes(given, takes, at),
    ...(comparison.open ? [] : refusedByLimits(given, takes, at)),
    ...refusedFields(given, takes, comparison, at),
    ...refusedItems(given, takes, comparison, at),
  ];
}

const ignored = new Set(['description', 'title', 'id', 'default', '$schema', 'examples']);

/** Compared as text, without descriptions. */
const canonical = (schema: unknown): string =>
  JSON.stringify(schema, (key, value: unknown) =>
    ignored.has(key) && typeof value !== 'object' ? undefined : value,
  );
const same = (one: Schema, other: Schema): boolean => canonical(one) === canonical(other);

const takesAnything = (schema: Schema): boolean =>
  Object.keys(schema).every((key) => ignored.has(key));

function valuesOf(schema: Schema): unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

function refusalOf(value: unknown, takes: Schema, at: string): string[] {
  const values = valuesOf(takes);
  const type = value === null ? 'null' : typeof value;
  const taken = values ? values.includes(value) : typesOf(takes).includes(type);
  return taken ? [] : [`${at}: does not accept ${JSON.stringify(value)}`];
}

const typesOf = ({ type }: Schema): string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type;

function refusedTypes(given: Schema, takes: Schema, at: string): string[] {
  const taken = typesOf(takes);
  if (taken.length === 0) return [];
  const types = typesOf(given);
  if (types.length === 0) return [`${at}: accepts only ${taken.join(' or ')}`];
  return types
    .filter((type) => !taken.includes(type) && !(type === 'integer' && taken.includes('number')))
    .map((type) => `${at}: does not accept ${type}`);
}

const lower = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum'];
const upper = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum'];
/** What had no maximum size may get one, as the reference says (gateway/README.md, Versions). */
const sizes = new Set(['maxLength', 'maxItems', 'maxProperties']);
/** A new or changed limit of this kind. */
const exact = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'contentEncoding'];

function refusedByLimits(given: Schema, takes: Schema, at: string): string[] {
  const limit = (schema: Schema, name: string, none: number) => Number(schema[name] ?? none);
  const narrower = [
    ...lower.filter((name) => limit(takes, name, -Infinity) > limit(given, name, -Infinity)),
    ...upper.filter(
      (name) =>
        limit(takes, name, Infinity) < limit(given, name, Infinity) &&
        !(given[name] === undefined && sizes.has(name)),
    ),
    ...exact.filter((name) => !takesLimit(given[name], takes[name])),
  ];
  return narrower.map(
    (name) => `${at}: ${name} is ${shown(takes[name])}, not ${shown(given[name])}`,
  );
}

/** Whether a value within one limit is within the other. Each address that is an `email` is an `idn-email`. */
const takesLimit = (given: unknown, takes: unknown): boolean =>
  takes === undefined || takes === given || (takes === 'idn-email' && given === 'email');

const shown = (limit: unknown): string =>
  limit === undefined ? 'unlimited' : typeof limit === 'string' ? limit : JSON.stringify(limit);

function refusedFields(given: Schema, takes: Schema, comparison: Comparison, at: string): string[] {
  if (!typesOf(given).includes('object')) return [];
  const fields = given.properties ?? {};
  const taken = takes.properties ?? {};
  const rest = takes.additionalProperties;
  const known = Object.entries(fields).flatMap(([name, field]) => {
    const where = `${at}/${name}`;
    if (taken[name]) return refusals(field, taken[name], comparison, where);
    if (comparison.open && takes.properties) return [];
    if (rest === false) return [`${where}: was removed`];
    return typeof rest === 'object' ? refusals(field, rest, comparison, where) : [];
  });
  const missing = (takes.required ?? [])
    .filter((name) => !(given.required ?? []).includes(name))
    .map((name) => `${at}/${name}: is required`);
  return [...known, ...missing, ...refusedEntries(given, takes, comparison, at)];
}

/** Records: objects with arbitrary keys. */
function refusedEntries(
  given: Schema,
  takes: Schema,
  comparison: Comparison,
  at: string,
): string[] {
  const entries = given.additionalProperties;
  // An object that is not strict is declared with `{}` or without the keyword; readers drop unknown fields.
  if (entries === undefined || entries === false || takesAnything(entries as Schema)) return [];
  const takenEntries = takes.additionalProperties;
  if (takenEntries === undefined || takenEntries === true) return [];
  if (takenEntries === false) return [`${at}: accepts no other fields`];
  return [
    ...refusals(entries as Schema, takenEntries, comparison, `${at}/*`),
    ...refusals(given.propertyNames ?? {}, takes.propertyNames ?? {}, comparison, `${at}/* (name)`),
  ];
}

function refusedItems(given: Schema, takes: Schema, comparison: Comparison, at: string): string[] {
  if (!given.items || !takes.items) return [];
  return refusals(given.items, takes.items, comparison, `${at}/*`);
}
