import { fieldErrorsMax, pointerTo, type FieldError } from '@roster/contracts';
import { z } from 'zod';
import { ignoredName, ignoredNameMessage } from '../operations/check-input.js';

/**
 * Reads query parameters into an input: numbers for fields of JSON type integer, booleans for `true` and `false`, arrays of strings for arrays (`tag=a&tag=b`),
 * objects of strings for objects (`property[city]=Paris`), strings for all others.
 */
export function queryReader(schema: z.ZodObject, names: readonly string[]) {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  const typeOf = new Map(names.map((name) => [name, typeIn(properties[name])]));
  const taken = names.map((name) => (typeOf.get(name) === 'object' ? `${name}[name]` : name));
  const unknown = `is not a known query parameter: this request takes ${taken.join(', ') || 'none'}`;

  return (url: string, input: Record<string, unknown>, errors: FieldError[]): void => {
    const start = url.indexOf('?');
    if (start < 0 || start === url.length - 1) return;
    const query = url.slice(start + 1);
    // Once for all parameters: the query may have thousands.
    const isMalformed = query.includes('%') && !isUtf8(query);
    const seen = new Set<string>();
    for (const [name, text] of new URLSearchParams(query)) {
      if (errors.length > fieldErrorsMax) return;
      const wrong = (message: string) => errors.push({ pointer: pointerTo([name]), message });
      const [, field = name, key] = keyed.exec(name) ?? [];
      const type = typeOf.get(field);
      if (isMalformed && (name + text).includes(replacement))
        wrong('must be percent-encoded UTF-8');
      if (type === undefined || (key === undefined) === (type === 'object')) wrong(unknown);
      else if (type === 'array') ((input[field] ??= []) as string[]).push(text);
      else if (seen.has(name)) wrong('must not be repeated');
      else if (key === ignoredName) wrong(ignoredNameMessage);
      else if (type === 'object')
        ((input[field] ??= Object.create(null)) as Record<string, string>)[key!] = text;
      else if (type === 'boolean') input[name] = booleans[text] ?? text;
      else if (type !== 'integer') input[name] = text;
      else if (!integer.test(text)) wrong('must be an integer in digits without leading zeros');
      else if (!Number.isSafeInteger(Number(text))) wrong(outOfRange);
      else input[name] = Number(text);
      seen.add(name);
    }
  };
}

/** Bytes that are not UTF-8 are decoded to this character. */
const replacement = '\uFFFD';

function isUtf8(query: string): boolean {
  try {
    decodeURIComponent(query.replaceAll(/%(?![0-9a-f]{2})/gi, ''));
    return true;
  } catch {
    return false;
  }
}

/** `property[city]`: the field and the key. */
const keyed = /^([^[]+)\[([^\]]*)\]$/;

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };
const outOfRange = `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
const integer = /^-?(?:0|[1-9][0-9]*)$/;

const typeIn = (property: unknown): unknown =>
  typeof property === 'object' && property !== null && 'type' in property
    ? property.type
    : 'string';
