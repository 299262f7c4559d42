import type { z } from 'zod';

/**
 * States the default of a field in its description instead of `default`: generators of types take a field with a default for one that
 * must be sent.
 */
export function describeDefault(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.default === undefined) return;
  const words = `Defaults to \`${JSON.stringify(schema.default)}\`.`;
  schema.description = schema.description === undefined ? words : `${schema.description} ${words}`;
  delete schema.default;
}
