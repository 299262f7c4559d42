import { credentialId, idPrefixes, idSchema, type IdKind } from '@roster/contracts';
import { Float, ID, Int, registerEnumType, type ClassType } from 'type-graphql';
import { z } from 'zod';
import { DateTime, EmailAddress, JSONObject } from '../scalars.js';

type Json = z.core.JSONSchema.BaseSchema;

/** A field of a contract, as the decorators of type-graphql take it. */
export interface ContractField {
  /** Called when the schema is built, when all object types are declared. */
  type: () => object;
  nullable: boolean;
  description: string | undefined;
  /** Maximum number of entries of a list. */
  entriesMax: number | undefined;
  /** Name of the object type, for a field that is one object with a name in the contracts. */
  objectName: string | undefined;
}

/** The fields of an object of the contracts. Their types follow from its JSON Schema. */
export function fieldsOfContract(
  contract: z.ZodType,
  io: 'input' | 'output',
): Record<string, ContractField> {
  const root = z.toJSONSchema(contract, { io }) as Json;
  const definitions = root.$defs ?? {};
  // A named schema is a reference to itself.
  const { properties = {}, required = [] } = resolved(root);
  return Object.fromEntries(
    Object.entries(properties as Record<string, Json>).map(([name, json]) => {
      const some = withoutNull(json);
      const isObject = some.$ref !== undefined && resolved(some).type === 'object';
      const field: ContractField = {
        type: () => typeOf(some),
        nullable: !required.includes(name) || isNullable(json),
        description: json.description,
        entriesMax: json.maxItems ?? some.maxItems,
        objectName: isObject ? objectNameOf(some.$ref!) : undefined,
      };
      return [name, field];
    }),
  );

  function resolved(json: Json): Json {
    return json.$ref === undefined ? json : definitions[json.$ref.split('/').at(-1)!]!;
  }

  function typeOf(json: Json): object {
    const { type, pattern, format, items, enum: values, const: value } = resolved(json);
    if (value !== undefined) return enumOf([value]);
    if (values) return enumOf(values.filter((one) => !isComplement(one)));
    if (type === 'array') return [typeOf(items as Json)];
    if (type === 'object' && json.$ref !== undefined && !untyped.has(json.$ref))
      return objectNamed(objectNameOf(json.$ref));
    if (idPatterns.has(pattern)) return ID;
    return formats[format ?? ''] ?? scalars[[type].flat()[0] ?? ''] ?? JSONObject;
  }
}

/** Of a status: the other one says the same. */
const isComplement = (value: unknown): boolean => String(value).startsWith('not:');

/** Objects that are JSON here: the typed fields of thousands of them would exceed the limit of cost. */
const untyped: ReadonlySet<unknown> = new Set([
  '#/$defs/ContactBatchResult',
  '#/$defs/WebhookHealthHour',
]);

const formats: Record<string, object> = { 'date-time': DateTime, 'idn-email': EmailAddress };
const scalars: Record<string, object> = {
  string: String,
  boolean: Boolean,
  integer: Int,
  number: Float,
};
const idPatterns = new Set(
  [credentialId, ...(Object.keys(idPrefixes) as IdKind[]).map((kind) => idSchema(kind))].map(
    (schema) => z.toJSONSchema(schema).pattern,
  ),
);

/** `type: ['string', 'null']`, or `anyOf` with null among them. */
const isNullable = ({ type, anyOf = [] }: Json): boolean =>
  [type, ...anyOf.map((one) => one.type)].flat().includes('null');

/** An open enumeration has a type beside its alternatives. */
const withoutNull = (json: Json): Json =>
  (json.type === undefined && json.anyOf?.find(({ type }) => type !== 'null')) || json;

/** Entries of lists have fewer fields in the contracts, and the same type here: `WebhookListed` is `Webhook`. */
const objectNameOf = (ref: string): string =>
  ref
    .split('/')
    .at(-1)!
    .replace(/Listed$/, '');

const objects = new Map<string, ClassType>();

/** The object type with a name of the contracts, or of `MutationDetails`. */
export function objectNamed(name: string): ClassType {
  const found = objects.get(name);
  if (!found)
    throw new Error(`no type ${name}: declare it with FieldsOf in gateway/graphql/resources`);
  return found;
}

export const nameObject = (target: ClassType): void => void objects.set(target.name, target);

const enums = new Map<string, object>();

/** The enum type that was declared for these values. */
function enumOf(values: readonly unknown[]): object {
  const found = enums.get(values.join(' '));
  if (!found)
    throw new Error(
      `no enum of ${values.join(', ')}: declare it in gateway/graphql/resources/enums.ts`,
    );
  return found;
}

/**
 * Declares the enum type of all fields of the contracts with these values. Its names are the values in upper case.
 *
 * @param descriptions by names
 * @param more values that only some fields have: those whose values are these and the others
 */
export function declareEnum<Value extends string>(
  name: string,
  values: readonly Value[],
  description: string,
  descriptions: Partial<Record<Uppercase<Value>, string>> & Record<string, string> = {},
  more: Readonly<Record<string, string>> = {},
): { [Name in Value as Uppercase<Name>]: Name } {
  const byName = {
    ...Object.fromEntries(values.map((value) => [value.toUpperCase(), value])),
    ...more,
  };
  const valuesConfig = Object.fromEntries(
    Object.entries<string>(descriptions as Record<string, string>).map(([value, text]) => [
      value,
      { description: text },
    ]),
  );
  registerEnumType(byName, { name, description, valuesConfig });
  enums.set(values.join(' '), byName);
  enums.set(Object.values(byName).join(' '), byName);
  return byName as { [Name in Value as Uppercase<Name>]: Name };
}

/** Declares fields with these values as strings, because later releases add values. */
export const declareOpenEnum = (values: readonly string[]): void =>
  void enums.set(values.join(' '), String);
