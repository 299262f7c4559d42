import { emailKey, referenceOf, uuidOf, type ContactOperation } from '@roster/contracts';

/** What an operation names contacts by, and gives them: nothing of it belongs to two contacts of a workspace. */
export function namesOf(operation: ContactOperation): string[] {
  const names: string[] = [];
  const { action } = operation;
  if (action === 'update' || action === 'delete') {
    const of = referenceOf(operation.id);
    if (of?.emailKey !== undefined) names.push(emailName(of.emailKey));
    else if (of) names.push(externalName(of.externalId));
    else names.push(idName(uuidOf('contact', operation.id)));
  }
  if (action === 'delete') return names;
  if (operation.email !== undefined) names.push(emailName(emailKey(operation.email)));
  if (typeof operation.externalId === 'string') names.push(externalName(operation.externalId));
  return names;
}

const idPrefix = 'id ';
const emailPrefix = 'email ';
const externalPrefix = 'external ';

export const idName = (uuid: string): string => idPrefix + uuid;
export const emailName = (key: string): string => emailPrefix + key;
export const externalName = (externalId: string): string => externalPrefix + externalId;

const partOf =
  (prefix: string) =>
  (name: string): string | undefined =>
    name.startsWith(prefix) ? name.slice(prefix.length) : undefined;

export const idIn = partOf(idPrefix);
export const emailIn = partOf(emailPrefix);
export const externalIn = partOf(externalPrefix);
