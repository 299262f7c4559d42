import { fieldErrorsMax, pointerTo, type FieldError } from '@roster/contracts';
import { z } from 'zod';
import { ignoredName, ignoredNameMessage } from '../operations/check-input.js';

/**
 * Reads query parameters into an input: numbers for fields of JSON type integer, booleans for `true` and `false`, arrays of strings for
 * arrays (`tag=a&tag=b`), objects of strings for objects (`property=city:Paris` or `property[city]=Paris`; of arrays of strings for
 * repeated names, if they may be repeated), strings for all others.
 */
export function queryReader(schema: z.ZodObject, names: readonly string[]) {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  const typeOf = new Map(names.map((name) => [name, typeIn(properties[name])]));
  const taken = names.map((name) => (typeOf.get(name) === 'object' ? `${name}=name:value` : name));
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
      const [, bracketed = name] = keyed.exec(name) ?? [];
      const type = typeOf.get(bracketed);
      if (isMalformed && (name + text).includes(replacement))
        wrong('must be percent-encoded UTF-8');
      if (type === undefined || (bracketed !== name && type !== 'object')) wrong(unknown);
      else if (type === 'array') ((input[name] ??= []) as string[]).push(text);
      else if (type === 'object') {
        const entry = entryOf(name, text, properties[bracketed] as ObjectSchema);
        if (!entry) wrong('must be name:value');
        else if (entry.key === ignoredName) wrong(ignoredNameMessage);
        else {
          const object = (input[entry.field] ??= Object.create(null)) as Record<
            string,
            string | string[]
          >;
          const former = object[entry.key];
          if (former === undefined) object[entry.key] = entry.value;
          else if (!mayRepeat(properties[bracketed] as ObjectSchema)) wrong('must not be repeated');
          else if (typeof former === 'string') object[entry.key] = [former, entry.value];
          else former.push(entry.value);
        }
      } else if (seen.has(name)) wrong('must not be repeated');
      else if (type === 'boolean') input[name] = booleans[text] ?? text;
      else if (type !== 'integer') {
        const isTime = (properties[name] as { format?: string }).format === 'date-time';
        if (isTime && spacedOffset.test(text))
          wrong('has a space: write the + of an offset as %2B');
        else input[name] = text;
      } else if (!integer.test(text)) wrong('must be an integer in digits without leading zeros');
      else if (!Number.isSafeInteger(Number(text))) wrong(outOfRange);
      else input[name] = Number(text);
      seen.add(name);
    }
  };
}

interface ObjectSchema {
  propertyNames?: { pattern?: string };
  additionalProperties?: { anyOf?: { type?: string }[] };
}

const mayRepeat = ({ additionalProperties }: ObjectSchema): boolean =>
  additionalProperties?.anyOf?.some(({ type }) => type === 'array') ?? false;

interface Entry {
  field: string;
  key: string;
  value: string;
}

/**
 * An entry of an object, in either form. If names have a pattern, which has no colon, the first colon ends the name. Otherwise the last
 * one does: values have none then.
 */
function entryOf(name: string, text: string, { propertyNames }: ObjectSchema): Entry | undefined {
  const [, field, key] = keyed.exec(name) ?? [];
  if (field !== undefined) return { field, key: key!, value: text };
  const colon = propertyNames?.pattern === undefined ? text.lastIndexOf(':') : text.indexOf(':');
  if (colon < 0) return undefined;
  return { field: name, key: text.slice(0, colon), value: text.slice(colon + 1) };
}

/** A timestamp with an offset whose `+` was sent as it is, which means a space. */
const spacedOffset = /T[\d:.]+ \d\d:?\d\d$/;

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
