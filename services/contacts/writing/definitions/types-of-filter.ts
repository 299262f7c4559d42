import { invalidFields, uuidOf, type FieldError } from '@roster/contracts';
import type { Session } from '@roster/storage';
import type { Filter } from '../../reading/conditions.js';
import { noTypes, propertyErrors, type PropertyTypes } from '../../reading/value-filter.js';
import type { ContactsService } from '../../service.js';
import { findDefined } from './definition-rows.js';

/**
 * The types of the properties of a filter, which its values are compared as.
 *
 * @param parent pointer of the filter
 *
 * @throws Fault `invalid` if a value is not of the type of its property
 */
export async function typesOfFilter(
  { definitions }: Pick<ContactsService, 'definitions'>,
  workspaceId: string,
  { property }: Filter,
  session: Session,
  parent = '',
): Promise<PropertyTypes> {
  if (property === undefined) return noTypes;
  const names = Object.keys(property);
  const id = uuidOf('workspace', workspaceId);
  const unknown = names.filter((name) => !definitions.has(id, name));
  const types = new Map(
    names.flatMap((name) => {
      const type = definitions.typeOf(id, name);
      return type === undefined ? [] : [[name, type]];
    }),
  );
  if (unknown.length > 0) {
    const { version } = definitions;
    const found = await findDefined(
      session,
      unknown.map((name) => ({ workspaceId: id, name })),
    );
    for (const [name, type] of found.get(id)!.types) types.set(name, type);
    // Also in a transaction, which has defined none of them.
    definitions.add(id, types, version);
  }
  const errors: FieldError[] = propertyErrors(property, types);
  if (errors.length === 0) return types;
  throw invalidFields(
    errors.map(({ pointer, message }) => ({ pointer: parent + pointer, message })),
  );
}

/** The types of the properties of a filter as they are stored, whatever is cached. Its values may be of other types. */
export async function storedTypesOfFilter(
  workspaceId: string,
  { property = {} }: Filter,
  session: Session,
): Promise<PropertyTypes> {
  const id = uuidOf('workspace', workspaceId);
  const names = Object.keys(property).map((name) => ({ workspaceId: id, name }));
  if (names.length === 0) return noTypes;
  return (await findDefined(session, names)).get(id)!.types;
}
