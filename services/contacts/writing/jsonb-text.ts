/**
 * The text that PostgreSQL returns for an array or object of strings of the type `jsonb`. A created contact is answered with it, so
 * that a later read returns the same bytes.
 */
export const jsonbText = (value: readonly string[] | Readonly<Record<string, string>>): string =>
  Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : `{${membersOf(value)}}`;

const quoted = (text: string): string => JSON.stringify(text);

const membersOf = (value: object): string =>
  Object.entries(value)
    .toSorted(([one], [other]) => inOrder(one, other))
    .map(([name, text]) => `${quoted(name)}: ${quoted(text as string)}`)
    .join(', ');

/** Shorter names come first, then the lesser bytes. */
const inOrder = (one: string, other: string): number =>
  Buffer.byteLength(one) - Buffer.byteLength(other) ||
  Buffer.compare(Buffer.from(one), Buffer.from(other));
