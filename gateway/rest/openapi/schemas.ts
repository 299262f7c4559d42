import { describeDefault } from '@roster/contracts';
import { z } from 'zod';
import { adminOperations } from '../admin/admin-operations.js';
import { restOperations } from '../rest-operations.js';

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
    ...[...restOperations, ...adminOperations.map(({ shown }) => shown)].map(
      ({ output }) => convert(output, 'output').$defs ?? {},
    ),
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
      // Generators make names of the values of an enumeration: oapi-codegen refuses a tab.
      if (jsonSchema.enum?.includes('\t')) {
        jsonSchema.pattern = `^[${jsonSchema.enum.join('').replace('\t', String.raw`\t`)}]$`;
        delete jsonSchema.enum;
      }
      // Generators make a type of its own of a union of texts.
      const texts = jsonSchema.type === undefined && jsonSchema.anyOf?.map(patternOf);
      if (texts && texts.every((one) => one !== undefined)) {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, { type: 'string', pattern: `^(?:${texts.join('|')})$` });
      }
    },
  });
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text, (_, value) => forGenerators(value as Schema)) as Schema;
}

/** The pattern of a text without its ends. Undefined for another type, and for any text. */
const patternOf = ({ type, enum: values, pattern }: Schema): string | undefined =>
  type === 'string' ? (values?.join('|') ?? pattern?.replace(/^\^(.*)\$$/, '$1')) : undefined;

/**
 * Generators know one type beside null only: oapi-codegen refuses several, as zod writes a union of them. It makes floats of 32 bits of
 * numbers without a format.
 */
function forGenerators(schema: Schema): Schema {
  const { type, ...rest } = schema ?? {};
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.length > 1) return { ...rest, anyOf: (type as string[]).map(ofType) };
  return types[0] === 'number' ? { ...schema, format: 'double' } : schema;
}

const ofType = (type: string): Schema =>
  type === 'number' ? { type, format: 'double' } : { type: type as 'string' };

export const reference = (name: string): { $ref: string } => ({
  $ref: `#/components/schemas/${name}`,
});
