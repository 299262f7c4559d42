import { z } from 'zod';

/**
 * The schema of an object, or record, that has at most this number of entries. They are counted before any of them is parsed: Zod
 * does so for arrays only.
 */
export function entriesAtMost<Schema extends z.ZodType>(
  entriesMax: number,
  schema: Schema,
): z.ZodType<z.output<Schema>, z.input<Schema>> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' });
  const bounded = z
    .unknown()
    .refine((given) => entriesOf(given) <= entriesMax, {
      error: `must have at most ${entriesMax} entries`,
      abort: true,
    })
    .pipe(schema as z.ZodType)
    .meta({ ...described, maxProperties: entriesMax });
  return bounded as z.ZodType as z.ZodType<z.output<Schema>, z.input<Schema>>;
}

const entriesOf = (given: unknown): number =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
    ? Object.keys(given).length
    : 0;
