import { z } from 'zod';

/**
 * A string of `min` to `max` characters (code points, as in JSON Schema) that PostgreSQL can store: NUL is not supported, and lone
 * surrogates would be replaced silently.
 */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => value.length >= min && isAtMost(value, max), {
      error:
        min === 0
          ? `must be at most ${max} characters long`
          : `must be ${min} to ${max} characters long`,
      abort: true,
    })
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      error: 'must be well-formed Unicode without the character U+0000',
      abort: true,
    })
    .meta(min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });

/** A character has one or two UTF-16 units: longer strings are not counted. */
const isAtMost = (value: string, max: number): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max);

const emailBytesMax = 254;
const emailShape =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\\\]\p{Cc}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}\p{M}-]{2,63}$/u;

/** An email address (dot-atom of RFC 5322, international letters of RFC 6531, a domain with a dot), stored as given. */
export const email = z
  .string()
  .refine(
    (value) =>
      value.length <= emailBytesMax &&
      value.isWellFormed() &&
      Buffer.byteLength(value) <= emailBytesMax &&
      emailShape.test(value),
    {
      error:
        'must be an email address of at most 254 bytes, with at most 64 characters before the @',
    },
  )
  .meta({ format: 'idn-email', maxLength: emailBytesMax, examples: ['ada@example.com'] });

/** Normal form of an email address. Addresses that differ only in case are equal. */
export const emailKey = (address: string): string => address.toLowerCase();

/** More than any precision needs. */
const timestampLengthMax = 64;
export const timestamp = z
  .string()
  .max(timestampLengthMax)
  .meta({ format: 'date-time', examples: ['2026-01-31T09:00:00.000Z'] });

/** A value of another type has the error of its type. */
const malformedTimestamp = ({ input }: { input?: unknown }): string | undefined =>
  typeof input === 'string' ? 'must have a time and a zone, as in 2026-01-31T09:00:00Z' : undefined;
/** The instants that both PostgreSQL and RFC 3339 represent with a year of four digits. */
const instantsMs = {
  min: Date.parse('0001-01-01T00:00:00.000Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
};

/**
 * A timestamp in an input: ISO 8601 with any offset. It is passed on in UTC with milliseconds, because PostgreSQL rejects offsets
 * of 16 hours or more, and year 0.
 */
export const inputTimestamp = z.iso
  .datetime({ offset: true, error: malformedTimestamp, abort: true })
  .max(timestampLengthMax, { abort: true })
  .refine(
    (value) => {
      const ms = Date.parse(value);
      return ms >= instantsMs.min && ms <= instantsMs.max;
    },
    { error: 'must be in the years 0001 to 9999 in UTC', abort: true },
  )
  .overwrite((value) => new Date(value).toISOString());

const daySeconds = 86_400;

/**
 * Input of the rotation of a secret.
 *
 * @param description what the previous secret is used for during that time
 */
export const overlapSeconds = (description: string) =>
  z
    .int()
    .min(0)
    .max(7 * daySeconds)
    .default(daySeconds)
    .meta({ description });

const hostLengthMax = 253;
const hostLabel = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * Whether a host of a parsed URL can exist: an IP address, or a name as RFC 1123 (2.1) defines it, with a final dot or without. URL
 * parsers also accept empty labels, other characters and labels of any length. Underscores are allowed, because names with them are
 * in use and are resolved.
 */
export function isHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  if (hostname.startsWith('[')) return true;
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name.length <= hostLengthMax && name.split('.').every((part) => hostLabel.test(part));
}
