import { Fault, type FieldError } from '@roster/contracts';
import { isUtf8 } from 'node:buffer';
import { pointerTo } from './field-errors.js';

export const nestingMax = 32;

/**
 * The JSON object in a request's body. Of a key that stands twice, the last counts.
 *
 * @param errors gets the keys named `__proto__`: schemas would pass over them in silence
 * @throws Fault `invalid_json`
 */
export function parseJsonObject(body: Buffer, errors: FieldError[]): Record<string, unknown> {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('invalid_json', 'The body must be a JSON object.');
  }
  inspectNames(value, errors);
  return value as Record<string, unknown>;
}

/** @throws Fault `invalid_json` */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Fault('invalid_json', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    // V8's own words quote the body.
    const at = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw new Fault(
      'invalid_json',
      `The body is not valid JSON${at === undefined ? '' : ` (at character ${at})`}.`,
    );
  }
}

/**
 * Collects the keys named `__proto__`: schemas would pass over them in silence.
 *
 * @throws Fault `invalid_json` when nested too deep
 */
export const inspectNames = (value: object, errors: FieldError[]): void =>
  inspect(value, [], errors);

function inspect(value: object, path: string[], errors: FieldError[]): void {
  if (path.length >= nestingMax)
    throw new Fault('invalid_json', `The body is nested more than ${nestingMax} levels deep.`);
  for (const key of Object.keys(value)) {
    // At the top the schema names it.
    if (key === '__proto__' && path.length > 0) {
      errors.push({ pointer: pointerTo([...path, key]), message: 'is not an allowed name' });
    }
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner !== 'object' || inner === null) continue;
    path.push(key);
    inspect(inner, path, errors);
    path.pop();
  }
}
