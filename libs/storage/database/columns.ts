/**
 * A column of a statement's input as one text, with a value in each line. The driver quotes each element of an array, which costs
 * it several times as long, and PostgreSQL reads the quotes. For JSON, which has no line breaks, and other texts without any.
 *
 * @param values not empty; null and undefined are NULL
 * @throws if a value has a line break: the values after it would become those of other rows
 */
export function lines(values: readonly (string | null | undefined)[]): string {
  const text = values.join('\n');
  let breaks = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks += 1;
  if (breaks !== Math.max(values.length - 1, 0)) throw new Error('A value has a line break.');
  return text;
}

/**
 * The `text[]` of a parameter with `lines`. A single NULL becomes an empty array: `unnest` of several arrays completes the
 * shorter ones with NULL.
 */
export const linesOf = (parameter: string): string =>
  `string_to_array(${parameter}::text, e'\\n', '')`;

/** A parameter of the type `uuid[]`. */
export const uuids = (values: readonly string[]): string => `{${values.join(',')}}`;
