import { pointerTo, type FieldError } from '@roster/contracts';
import { z } from 'zod';

/** Reads query parameters into an input: numbers for fields of JSON type integer, strings for all others. */
export function queryReader(schema: z.ZodObject, names: readonly string[]) {
  const unknown = `is not a known query parameter: this request takes ${names.join(', ') || 'none'}`;
  const integers = new Set(names.filter((name) => isInteger(schema, name)));

  return (url: string, input: Record<string, unknown>, errors: FieldError[]): void => {
    const start = url.indexOf('?');
    if (start < 0 || start === url.length - 1) return;
    const seen = new Set<string>();
    for (const [name, text] of new URLSearchParams(url.slice(start + 1))) {
      const wrong = (message: string) => errors.push({ pointer: pointerTo([name]), message });
      if (!names.includes(name)) wrong(unknown);
      else if (seen.has(name)) wrong('must not be repeated');
      else if (!integers.has(name)) input[name] = text;
      else if (!integer.test(text)) wrong('must be an integer in digits without leading zeros');
      else if (!Number.isSafeInteger(Number(text))) wrong(outOfRange);
      else input[name] = Number(text);
      seen.add(name);
    }
  };
}

const outOfRange = `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
const integer = /^-?(?:0|[1-9][0-9]*)$/;

function isInteger(schema: z.ZodObject, name: string): boolean {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  const property = properties[name];
  return typeof property === 'object' && property.type === 'integer';
}
