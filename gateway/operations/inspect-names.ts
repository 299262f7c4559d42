import { Fault, fieldErrorsMax, pointerTo, type FieldError } from '@roster/contracts';

/** Maximum number of objects and arrays within each other. */
export const levelsMax = 16;
/** A name that schemas ignore silently. */
export const ignoredName = '__proto__';
export const ignoredNameMessage = 'is not an allowed name';

/**
 * Reports keys that schemas ignore silently, one more than an error lists at most.
 *
 * @throws Fault `invalid_json` if nested too deeply
 */
export function inspectNames(value: object, errors: FieldError[], path: string[] = []): void {
  if (path.length >= levelsMax)
    throw new Fault('invalid_json', `The body is nested more than ${levelsMax} levels deep.`);
  for (const key of Object.keys(value)) {
    // At the top level the schema reports it.
    if (key === ignoredName && path.length > 0 && errors.length <= fieldErrorsMax)
      errors.push({ pointer: pointerTo([...path, key]), message: ignoredNameMessage });
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner !== 'object' || inner === null) continue;
    path.push(key);
    inspectNames(inner, errors, path);
    path.pop();
  }
}
