import { useQueryClient } from '@tanstack/react-query';
import { Problem } from '../../data/problem.js';
import { rest } from '../../data/rest.js';
import { Conflict } from '../../parts/edit-field.js';
import { readContact, type Contact, type ContactChange, type Versioned } from './contact.js';
import type { PropertyValue } from './property-value.js';

/** How often a change is tried again because others change other fields of the contact at the same time. */
const triesMax = 5;

/**
 * Changes of a contact. Each that replaces a value is made only if the contact is the version that the reader saw (`If-Match`), so
 * that nobody's change is overwritten unseen.
 *
 * @param onChanged called with the contact after each change
 */
export function useContactStore(id: string, onChanged: (contact: Contact) => void) {
  const client = useQueryClient();
  const queryKey = ['contact', id];
  const keep = (version: Versioned): Versioned => {
    client.setQueryData(queryKey, version);
    onChanged(version.contact);
    return version;
  };
  const readAgain = async () => keep(await readContact(id));

  const send = async (body: ContactChange, ifMatch?: string) => {
    const { data, etag } = await rest<{ contact: Contact }>('PATCH', `/v1/contacts/${id}`, {
      body,
      ifMatch,
    });
    // A change of another field can be on its way back: what is kept must not be older than this.
    keep({ contact: data.contact, etag });
  };

  /** @param changeOf throws what ends the attempt; undefined if there is nothing to change */
  const change = async (changeOf: (contact: Contact) => ContactChange | undefined) => {
    let version = client.getQueryData<Versioned>(queryKey) ?? (await readAgain());
    for (let tries = 1; ; tries += 1) {
      const body = changeOf(version.contact);
      if (!body) return;
      try {
        return await send(body, version.etag);
      } catch (error) {
        const isChanged = error instanceof Problem && error.code === 'precondition_failed';
        if (!isChanged || tries >= triesMax) throw error;
        version = await readAgain();
      }
    }
  };

  return {
    /** Changes one text. One that others changed otherwise meanwhile is a Conflict, and nothing is written. */
    saveText: (
      read: (contact: Contact) => string,
      changeOf: (text: string) => ContactChange,
      text: string,
      base: string,
    ) =>
      change((contact) => {
        const now = read(contact);
        // A request whose answer was lost has been carried out.
        if (now === text) return undefined;
        if (now !== base) throw new Conflict();
        return changeOf(text);
      }),
    // Without a condition: the other tags remain as they are.
    addTags: (addTags: readonly string[]) => send({ addTags }),
    removeTag: (tag: string) => send({ removeTags: [tag] }),
    setProperty: (name: string, value: PropertyValue | null) =>
      change(() => ({ properties: { [name]: value } })),
    setSubscribed: async (isSubscribed: boolean) => {
      const verb = isSubscribed ? 'resubscribe' : 'unsubscribe';
      const { data, etag } = await rest<{ contact: Contact }>('POST', `/v1/contacts/${id}/${verb}`);
      keep({ contact: data.contact, etag });
    },
  };
}
