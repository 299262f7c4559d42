import { pathFieldsOf, type Operation } from '@roster/contracts';
import { z } from 'zod';

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * The minimal input of an operation: its required fields, with values that its contract accepts.
 *
 * @throws Error when none is found, with the remedy
 */
export function sampleInput({ name, input }: Operation): Record<string, unknown> {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const sample = Object.fromEntries(
    required.map((field) => [field, sampleOf(properties[field] as Schema)]),
  );
  const [missing] = input.safeParse(sample).error?.issues ?? [];
  // Required only without another field.
  const [field] = missing?.path ?? [];
  if (typeof field === 'string' && !required.includes(field))
    sample[field] = sampleOf(properties[field] as Schema);
  const { error } = input.safeParse(sample);
  if (error)
    throw new Error(
      `No sample input of ${name} was found: give its fields examples in libs/contracts, ` +
        `\`.meta({ examples: […] })\`. ${error.message}`,
    );
  return sample;
}

/** The same without what is part of the REST path. */
export function sampleBody(operation: Operation): Record<string, unknown> {
  const sample = sampleInput(operation);
  for (const field of operation.http ? pathFieldsOf(operation.http) : []) delete sample[field];
  return sample;
}

/** The query of a request over REST that has no body, with `?`, or nothing. */
export function sampleQuery(operation: Operation): string {
  const query = new URLSearchParams(sampleBody(operation) as Record<string, string>);
  return query.size > 0 ? `?${query.toString()}` : '';
}

/** The body of a request over REST, with its media type: an upload is a file. */
export function sampleContent(operation: Operation): { type: string; body: string } {
  const [type] = operation.http?.upload?.mediaTypes ?? [];
  if (type === undefined)
    return { type: 'application/json', body: JSON.stringify(sampleBody(operation)) };
  return { type, body: 'email\nemmy@example.org\n' };
}

function sampleOf({ examples, enum: values, format, type, items, minLength }: Schema): unknown {
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (values) return values[0];
  if (format === 'date-time') return '2026-01-31T09:00:00.000Z';
  if (type === 'array') return [sampleOf(items as Schema)];
  if (type === 'string') return 'a'.repeat(minLength ?? 1);
  if (type === 'integer' || type === 'number') return 1;
  return type === 'boolean' ? true : {};
}
