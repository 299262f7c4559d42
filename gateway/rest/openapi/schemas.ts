import { describeDefault, type EventKind } from '@roster/contracts';
import { z } from 'zod';
import { type RestOperation, restOperations } from '../rest-operations.js';

/** A JSON Schema of the document. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** The JSON Schema of a contract's type. Named types are references to the components of the document. */
export function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  return withoutDefinitions(convert(type, io));
}

function withoutDefinitions(schema: Schema): Schema {
  const { $schema: _, $defs: __, ...rest } = schema;
  return rest;
}

/** The JSON Schema of the fields of a body, with the defaults in words. */
export const bodySchemaOf = (type: z.ZodType): Schema =>
  withoutDefinitions(convert(type, 'input', describeDefault));

/** The named types of all outputs. */
export function componentSchemas(): Record<string, Schema> {
  return Object.assign(
    {},
    ...restOperations.map(({ output }) => convert(output, 'output').$defs ?? {}),
  );
}

function convert(
  type: z.ZodType,
  io: 'input' | 'output',
  adapt: (schema: Schema) => void = () => {},
): Schema {
  const schema = z.toJSONSchema(type, {
    io,
    override({ jsonSchema }) {
      adapt(jsonSchema);
      // Fields may be added to responses.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
      // Bounds of JavaScript integers are not part of the contract.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Schema;
}

const pascal = (words: string): string =>
  words.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');

/** Names of an operation's schemas: `contacts.create` has `CreateContactInput`, and `contacts.list` `ContactPage`. */
export function schemaNames({ name, access }: Pick<RestOperation, 'name' | 'access'>): {
  input: string;
  output: string;
} {
  const [noun = '', verb = ''] = name.split('.');
  const type = pascal(singular(noun));
  // `contacts.get` gets the noun, other reads what their verb names.
  const [first = '', ...rest] =
    access === 'write' || verb === 'get' ? verb.split('-') : ['get', verb];
  // `me` replaces the noun.
  const action = pascal(first) + (rest[0] === 'me' ? '' : type) + pascal(rest.join('-'));
  return {
    input: `${action}Input`,
    output: verb === 'list' ? `${type}Page` : `${action}Response`,
  };
}

/** Name of the schema of an event's body: `ContactCreatedEvent`. */
export const eventName = (kind: EventKind): string => `${pascal(kind.toLowerCase())}Event`;

export const reference = (name: string): { $ref: string } => ({
  $ref: `#/components/schemas/${name}`,
});
