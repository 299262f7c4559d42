import { domainToASCII, domainToUnicode } from 'node:url';
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

/** An address in ASCII without punycode: dot-atom of RFC 5322, and a domain with a dot that is no IPv4 address. */
const plainEmail =
  /^(?!\.)(?!.*\.\.)[\w!#$%&'*+./=?^`{|}~-]{1,64}(?<!\.)@(?!(?:.*\.)?xn--)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$|0x[\da-f]*$)[a-z\d][a-z\d-]{0,61}[a-z\d]$/i;
/** Characters that are invisible, or have no meaning for all: formats with joiners and bidirectional controls, unassigned, private. */
const refused = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** International letters of RFC 6531. `domainToASCII` checks the domain, and would take other ASCII characters for parts of a URL. */
const internationalEmail =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\\\]]{1,64}(?<!\.)@(?<domain>(?:[\w.-]|[^\s\0-\x7f])+)$/u;

const isEmail = (value: string): boolean =>
  value.length <= emailBytesMax && (plainEmail.test(value) || isInternationalEmail(value));

function isInternationalEmail(value: string): boolean {
  const domain = internationalEmail.exec(value)?.groups!['domain'];
  if (domain === undefined || refused.test(value) || Buffer.byteLength(value) > emailBytesMax)
    return false;
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  return (
    ascii.length <= hostLengthMax &&
    plainEmail.test(`a@${ascii.replaceAll(/(?<![^.])xn--/g, 'xnxx')}`) &&
    // Labels of punycode that is malformed, or not what the domain is encoded as, are left as they are.
    domainToASCII(unicode) === ascii &&
    !/(?<![^.])xn--/.test(unicode) &&
    !refused.test(unicode)
  );
}

function emailError({ input }: { input?: unknown }): string {
  const character = refused.exec(input as string)?.[0];
  if (character === undefined)
    return 'must be an email address of at most 254 bytes, with at most 64 characters before the @ and a domain name after it';
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `must not contain the character U+${code}, which is invisible, unassigned or a control character`;
}

/** An email address, stored as given. Its domain is checked by the rules of the URL standard (UTS 46). */
export const email = z
  .string()
  .refine(isEmail, { error: emailError })
  .meta({ format: 'idn-email', maxLength: emailBytesMax, examples: ['ada@example.com'] });

const beyondAscii = /[\x80-\uffff]/;
const isInternational = (lower: string): boolean =>
  beyondAscii.test(lower) || lower.includes('xn--');

/**
 * Normal form of an email address, and of its lower case. Addresses that differ only in case, in how letters with marks are
 * composed, or in whether their domain is in punycode are equal.
 */
export function emailKey(address: string): string {
  const lower = address.toLowerCase();
  return isInternational(lower) ? internationalKey(lower) : lower;
}

/** The domain stays in Unicode, so that its beginning can be searched. Text that is no address is folded only. */
function internationalKey(address: string): string {
  const { domain } = internationalEmail.exec(address)?.groups ?? {};
  const unicode = domain !== undefined && isInternational(domain) ? domainToUnicode(domain) : '';
  return folded(unicode === '' ? address : address.slice(0, -domain!.length) + unicode);
}

/**
 * The words of a name in the form in which they are compared, separated by spaces: what is between characters other than letters,
 * marks and digits of any script. They differ neither in case nor in how their characters are composed; accents are significant.
 */
export const nameWords = (name: string): string =>
  beyondAscii.test(name)
    ? folded(name.normalize('NFKC').toLowerCase())
        .replaceAll(divider, ' ')
        .replaceAll(longWord, '$1')
        .trim()
    : name.toLowerCase().replaceAll(asciiDivider, ' ').trim();

const asciiDivider = /[^a-z\d]+/g;
/** Characters that are not assigned yet are letters, so that this depends little on the release of Unicode. */
const divider = /[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Co}]+/gu;

/** Only the beginning of a word counts: PostgreSQL refuses words of more than 2,046 bytes. One character can stand for 18. */
const longWord = /([^ ]{255})[^ ]+/gu;

/** Simple case folding of Unicode: one character for one, so that `ß` and `ss` differ. */
const folded = (value: string): string =>
  value
    .normalize('NFC')
    .replaceAll(/[^\0-\x7f]/gu, foldCharacter)
    .normalize('NFC');

function foldCharacter(character: string): string {
  const upper = character.toUpperCase();
  // The capital of the dotless i is that of another letter.
  return upper.length > character.length || character === 'ı' ? character : upper.toLowerCase();
}

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

const anyTimestamp = z.iso
  .datetime({ offset: true, error: malformedTimestamp, abort: true })
  .max(timestampLengthMax, { abort: true })
  .refine(
    (value) => {
      const ms = Date.parse(value);
      return ms >= instantsMs.min && ms <= instantsMs.max;
    },
    { error: 'must be in the years 0001 to 9999 in UTC', abort: true },
  );

/**
 * A timestamp in an input: ISO 8601 with any offset. It is passed on in UTC with milliseconds, because PostgreSQL rejects offsets
 * of 16 hours or more, and year 0.
 */
export const inputTimestamp = anyTimestamp.overwrite((value) => new Date(value).toISOString());

/** As `inputTimestamp`, but passed on with microseconds: further digits are cut off. */
export const inputInstant = anyTimestamp.overwrite((value) => {
  const [, digits = ''] = /\.(\d+)/.exec(value) ?? [];
  const seconds = new Date(value.replace(/\.\d+/, '')).toISOString().slice(0, -'.000Z'.length);
  return `${seconds}.${digits.slice(0, 6).padEnd(6, '0')}Z`;
});

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
