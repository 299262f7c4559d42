import { readFile } from 'node:fs/promises';
import { type MovedContact, propertiesOf, type SourceContact } from './moved-contact.js';
import { type SourceName, sources } from './sources.js';

/** An entry that cannot be moved, and why. */
export interface RejectedEntry {
  /** `contacts.csv, entry 3`. */
  place: string;
  reason: string;
}

/** A contact with the first place that has it. */
export interface PlacedContact extends MovedContact {
  place: string;
}

/** The entries of a file, or of an account. */
export interface SourceEntries {
  /** Path of the file, or the name of the service. */
  name: string;
  /** Tags for all its contacts. */
  tags: readonly string[];
  entries: readonly unknown[];
}

/**
 * @param argument path of a file, optionally with a tag: `vip=contacts.csv`
 * @throws Error that names the file, if it cannot be read
 */
export async function readEntries(
  sourceName: SourceName,
  argument: string,
  tags: readonly string[],
): Promise<SourceEntries> {
  const [, tag, name = argument] = /^(?:([^=/]+)=)?(.+)$/s.exec(argument) ?? [];
  const text = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${name} cannot be read (${error.code}).`, { cause: error });
  });
  try {
    return {
      name,
      tags: tag === undefined ? tags : [tag, ...tags],
      entries: sources[sourceName].read(text),
    };
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The contacts of the entries of another service. An address in several entries gets the tags and properties of all of them, and
 * is unsubscribed if one of them says so.
 *
 * @param reject called for each entry that cannot be read
 */
export function contactsOf(
  sourceName: SourceName,
  files: readonly SourceEntries[],
  reject: (entry: RejectedEntry) => void,
): PlacedContact[] {
  const { contactOf } = sources[sourceName];
  const contacts = new Map<string, PlacedContact>();
  for (const { name, tags, entries } of files)
    for (const [index, entry] of entries.entries()) {
      const place = `${name}, entry ${index + 1}`;
      try {
        const contact = { ...contactOf(entry as never, name), place };
        const key = contact.email.toLowerCase();
        contacts.set(key, merge(contacts.get(key), contact, tags));
      } catch (error) {
        reject({ place, reason: (error as Error).message });
      }
    }
  return [...contacts.values()];
}

function merge(
  known: PlacedContact | undefined,
  one: SourceContact & { place: string },
  added: readonly string[],
): PlacedContact {
  const tags = [...(known?.tags ?? []), ...one.tags.map((name) => name.trim()), ...added];
  return {
    place: one.place,
    email: one.email,
    name: one.name || (known?.name ?? ''),
    tags: [...new Set(tags.filter(Boolean))],
    properties: { ...known?.properties, ...propertiesOf(one.properties) },
    status: known?.status === 'unsubscribed' ? 'unsubscribed' : one.status,
  };
}
