import {
  invalidFields,
  propertyOfSort,
  uuidOf,
  type ContactPropertyType,
  type FieldError,
  type PropertySort,
} from '@roster/contracts';
import type { Session } from '@roster/storage';
import type { Filter } from '../../reading/conditions.js';
import { noTypes, propertyErrors, type PropertyTypes } from '../../reading/value-filter.js';
import type { ContactsService } from '../../service.js';
import { findDefined } from './definition-rows.js';

type Definitions = Pick<ContactsService, 'definitions'>;

/**
 * The types of the properties of a filter, which its values are compared as.
 *
 * @throws Fault `invalid` if a value is not of the type of its property
 */
export async function typesOfFilter(
  service: Definitions,
  workspaceId: string,
  { property }: Filter,
  session: Session,
): Promise<PropertyTypes> {
  if (property === undefined) return noTypes;
  const types = await typesOf(service, workspaceId, Object.keys(property), session);
  requireTypes({ property }, types);
  return types;
}

/**
 * @param parent pointer of the filter
 *
 * @throws Fault `invalid` if a value is not of the type of its property
 */
export function requireTypes({ property }: Filter, types: PropertyTypes, parent = ''): void {
  const errors: FieldError[] = propertyErrors(property, types);
  if (errors.length === 0) return;
  throw invalidFields(
    errors.map(({ pointer, message }) => ({ pointer: parent + pointer, message })),
  );
}

/**
 * The type of the property that an order is by.
 *
 * @throws Fault `invalid` if the property is not defined
 */
export async function typeOfSort(
  service: Definitions,
  workspaceId: string,
  sort: PropertySort,
  session: Session,
): Promise<ContactPropertyType> {
  const name = propertyOfSort(sort);
  const type = (await typesOf(service, workspaceId, [name], session)).get(name);
  if (type !== undefined) return type;
  throw invalidFields([{ pointer: '/sort', message: 'must name a contact property' }]);
}

/** Without those that are not defined. */
async function typesOf(
  { definitions }: Definitions,
  workspaceId: string,
  names: readonly string[],
  session: Session,
): Promise<PropertyTypes> {
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
  return types;
}

/** The types of properties as they are stored, whatever is cached. */
export async function storedTypes(
  workspaceId: string,
  names: readonly string[],
  session: Session,
): Promise<PropertyTypes> {
  if (names.length === 0) return noTypes;
  const id = uuidOf('workspace', workspaceId);
  const found = await findDefined(
    session,
    names.map((name) => ({ workspaceId: id, name })),
  );
  return found.get(id)!.types;
}
