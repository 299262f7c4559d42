import { encodeId, instantOfId, timeOfId } from '@roster/contracts';

/** A contact as returned by statements. `tags` and `properties` are already JSON text. */
export interface ContactRow {
  id: string;
  email: string;
  name: string;
  tags: string;
  properties: string;
  status: string;
  /** ID of the last change, or of the contact. */
  change_id: string;
  version: number;
  external_id: string | null;
}

/** The columns of a `ContactRow`. */
export const contactColumns = (alias: string): string =>
  `${alias}.id, ${alias}.email, ${alias}.name, ${alias}.tags::text, ${alias}.properties::text, ${alias}.status, ${changeIdOf(alias)} as change_id, ${alias}.version, ${alias}.external_id`;

/** Contacts have an index of it. */
export const changeIdOf = (alias: string): string => `coalesce(${alias}.change_id, ${alias}.id)`;

/** When a contact was created: the time of its ID, so that a period is a range of IDs. */
export const createdAtOf = (id: string): string => new Date(timeOfId(id)).toISOString();

/** A contact as JSON text, in the contract's shape. */
export const contactJson = ({ name, external_id, ...row }: ContactRow): string =>
  jsonOf(row, JSON.stringify(name), JSON.stringify(external_id));

/**
 * The contacts of a page in one text, in an order. Creating an object per row would cost the driver more time than
 * PostgreSQL needs to find the rows. No field can contain the separators: addresses have no control characters, and JSON
 * escapes them.
 */
export const packedContactsBy = (order: string): string => `
  string_agg(
    concat_ws(E'\\x1f', id, email, to_json(name), tags, properties, status, coalesce(change_id, id), version, to_json(external_id)),
    E'\\x1e' order by ${order})`;

export const packedContacts = packedContactsBy('id');

export interface PackedContact {
  id: string;
  changeId: string;
  email: string;
  /** In JSON. */
  name: string;
  json: string;
}

/** @param text result of `packedContacts`; null if there are no contacts */
export function unpackContacts(text: string | null): PackedContact[] {
  if (text === null) return [];
  return text.split('\x1e').map((packed) => {
    const [id, email, name, tags, properties, status, change_id, version, externalId] =
      packed.split('\x1f') as Fields;
    const row = { id, email, tags, properties, status, change_id, version };
    return { id, changeId: change_id, email, name, json: jsonOf(row, name, externalId) };
  });
}

/** `concat_ws` omits the last one if it is null. */
type Fields = [string, string, string, string, string, string, string, string, string?];

const jsonOf = (
  row: Omit<ContactRow, 'name' | 'version' | 'external_id'> & { version: number | string },
  nameJson: string,
  externalIdJson?: string,
): string =>
  contactHead(row.id, row.email, nameJson, createdAtOf(row.id)) +
  `,"tags":${row.tags},"properties":${row.properties},"status":"${row.status}"${changeJson(row, externalIdJson)}}`;

/** The last fields of a contact as JSON. They do not count as part of its size. */
export const changeJson = (
  { change_id: id, version }: { change_id: string; version: number | string },
  externalIdJson = 'null',
): string =>
  `,"updatedAt":"${instantOfId(id)}","version":${version},"externalId":${externalIdJson}`;

/** The fields of a contact that webhooks receive as JSON, without the brace at the end. */
export const contactHead = (id: string, email: string, nameJson: string, createdAt: string) =>
  `{"id":"${encodeId('contact', id)}","email":${JSON.stringify(email)},"name":${nameJson},"createdAt":"${createdAt}"`;
