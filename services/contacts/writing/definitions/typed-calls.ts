import type { Answer, Call } from '@roster/bus';
import {
  Fault,
  invalidFields,
  isOfType,
  pointerTo,
  propertyTypeWords,
  readAsType,
  type ContactPropertyType,
  type FieldError,
  type InputOf,
  type Operations,
  type OutputOf,
  type PropertyValue,
} from '@roster/contracts';
import type { PropertyTypes } from '../../reading/value-filter.js';

type WriteContact = Operations['contacts.create'] | Operations['contacts.update'];

/** The type of a property in the workspace of a call; undefined for one that is not defined. */
export type TypeOf = (call: Call, name: string) => ContactPropertyType | undefined;

/** Handles calls with values of the types of their properties, and refuses the others. */
export async function handleTyped<O extends WriteContact>(
  calls: readonly Call<InputOf<O>>[],
  typeOf: TypeOf,
  isText: boolean,
  handle: (calls: Call<InputOf<O>>[]) => Promise<Answer<OutputOf<O>>[]>,
): Promise<Answer<OutputOf<O>>[]> {
  const typed = calls.map((call) => typedCall<O>(call, typeOf, isText));
  const admitted = typed.filter((call): call is Call<InputOf<O>> => !(call instanceof Fault));
  if (admitted.length === typed.length) return handle(admitted);
  const given = (admitted.length > 0 ? await handle(admitted) : []).values();
  return typed.map((call) => (call instanceof Fault ? call : given.next().value!));
}

function typedCall<O extends WriteContact>(
  call: Call<InputOf<O>>,
  typeOf: TypeOf,
  isText: boolean,
): Call<InputOf<O>> | Fault {
  const { properties } = call.input;
  if (properties === undefined) return call;
  const errors: FieldError[] = [];
  const read: Record<string, PropertyValue> = {};
  let isRead = false;
  for (const name in properties) {
    const value = properties[name];
    if (value === null || value === undefined) continue;
    const type = typeOf(call, name);
    if (isOfType(type ?? 'string', value)) continue;
    const meant = isText && type && typeof value === 'string' ? readAsType(type, value) : undefined;
    if (meant === undefined)
      errors.push({ pointer: pointerTo(['properties', name]), message: refusalOf(type, value) });
    else {
      read[name] = meant;
      isRead = true;
    }
  }
  if (errors.length > 0) return invalidFields(errors);
  return isRead
    ? { ...call, input: { ...call.input, properties: { ...properties, ...read } } }
    : call;
}

/** @returns the values that are not of the types of their properties */
export const typeErrors = (
  properties: Record<string, PropertyValue | null>,
  types: PropertyTypes,
): FieldError[] =>
  Object.entries(properties).flatMap(([name, value]) => {
    const type = types.get(name);
    return value === null || isOfType(type ?? 'string', value)
      ? []
      : [{ pointer: pointerTo(['properties', name]), message: refusalOf(type, value) }];
  });

const refusalOf = (type: ContactPropertyType | undefined, value: PropertyValue): string =>
  type === undefined
    ? `must be a string: define it as a contact property of the type ${typeof value} first`
    : `must be ${propertyTypeWords[type]}, because the contact property has the type ${type}`;
