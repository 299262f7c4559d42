import { z } from 'zod';

/** Maximum number of values of each kind: those that a contact had. */
const valuesMax = 100;
/** More than the texts of contacts may have. */
const charsMax = 1024;
const values = z.array(z.string().max(charsMax)).max(valuesMax);

/** What is known of an erased contact, also from its former values. Its records that do not contain its ID are found by this. */
export const knownValues = z.strictObject({
  emails: values,
  /** Names and IDs in other systems. */
  others: values,
});
export type KnownValues = z.output<typeof knownValues>;

/** In place of an address. */
const erased = 'erased';

export const nothingKnown: KnownValues = { emails: [], others: [] };

/** Adds values. The oldest ones of more than a hundred are kept. */
export function withValues(known: KnownValues, more: KnownValues): KnownValues {
  const merged = (some: readonly string[], others: readonly string[]): string[] =>
    [...new Set([...some, ...others.filter((one) => one !== '' && one.length <= charsMax)])].slice(
      0,
      valuesMax,
    );
  return {
    emails: merged(known.emails, more.emails),
    others: merged(known.others, more.others),
  };
}

/** A JSON value without the addresses of the contact, and without texts that are one of its other values. */
function redacted(value: unknown, known: KnownValues): unknown {
  if (typeof value === 'string') return redactedText(value, known);
  if (Array.isArray(value)) return value.map((one) => redacted(one, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, redacted(one, known)]),
  );
}

function redactedText(text: string, { emails, others }: KnownValues): string {
  const lower = text.toLowerCase();
  if (others.some((other) => other.toLowerCase() === lower)) return erased;
  return emails.reduce(
    (rest, email) =>
      rest.replaceAll(
        new RegExp(email.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'gi'),
        erased,
      ),
    text,
  );
}

/** As `redacted`, of JSON text. Unchanged text is returned as it is; text that is not JSON contains nothing that is known of. */
export function redactedJson(text: string, known: KnownValues): string {
  try {
    const value: unknown = JSON.parse(text);
    const rest = JSON.stringify(redacted(value, known));
    return rest === JSON.stringify(value) ? text : rest;
  } catch {
    return text;
  }
}
