import { z } from 'zod';
import { restOperations } from '../rest-operations.js';

/** A JSON Schema as it stands in the document. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** A contract's schema, with named parts as references to the document's components. */
export function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, $defs: __, ...schema } = convert(type, io);
  return schema;
}

/** The named parts of everything the operations answer. */
export function componentSchemas(): Record<string, Schema> {
  return Object.assign(
    {},
    ...restOperations.map(({ output }) => convert(output, 'output').$defs ?? {}),
  );
}

function convert(type: z.ZodType, io: 'input' | 'output'): Schema {
  const schema = z.toJSONSchema(type, {
    io,
    override({ jsonSchema }) {
      // Responses may gain fields.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
      // The bounds of JavaScript's integers say nothing about the field.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Schema;
}
