import type { InputOf, Operations, PropertyValue } from '@roster/contracts';

type Upsert = Omit<InputOf<Operations['contacts.upsert']>, 'id' | 'createdAt'>;

/** The fields of the contact that an upsert creates: tags that are added are its tags, and there is nothing to remove. */
export function creationOf(upsert: Upsert) {
  const {
    addTags = [],
    removeTags: _,
    name = '',
    tags = addTags,
    properties = {},
    email,
    ...others
  } = upsert;
  const set = Object.entries(properties).filter(([, value]) => value !== null);
  const kept = Object.fromEntries(set) as Record<string, PropertyValue>;
  // Whether a new contact has an address is checked before.
  return { ...others, email: email!, name, tags, properties: kept };
}
