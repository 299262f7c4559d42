import { encodeId } from '@roster/contracts';

/** A contact as returned by statements. `tags` and `properties` are already JSON text. */
export interface ContactRow {
  id: string;
  email: string;
  name: string;
  tags: string;
  properties: string;
  status: string;
  /** Milliseconds since the epoch. */
  created_ms: number;
}

/** The columns of a `ContactRow`. */
export const contactColumns = (alias: string): string =>
  `${alias}.id, ${alias}.email, ${alias}.name, ${alias}.tags::text, ${alias}.properties::text, ${alias}.status,
   date_part('epoch', ${alias}.created_at) * 1000 as created_ms`;

/** A contact as JSON text, in the contract's shape. */
export const contactJson = ({ name, ...row }: ContactRow): string =>
  jsonOf(row, JSON.stringify(name));

/**
 * The contacts of a page in one text, in an order. Creating an object per row would cost the driver more time than
 * PostgreSQL needs to find the rows. No field can contain the separators: addresses have no control characters, and JSON
 * escapes them.
 */
export const packedContactsBy = (order: string): string => `
  string_agg(
    concat_ws(E'\\x1f', id, email, to_json(name), tags, properties, status, date_part('epoch', created_at) * 1000),
    E'\\x1e' order by ${order})`;

export const packedContacts = packedContactsBy('id');

export interface PackedContact {
  id: string;
  email: string;
  json: string;
}

/** @param text result of `packedContacts`; null if there are no contacts */
export function unpackContacts(text: string | null): PackedContact[] {
  if (text === null) return [];
  return text.split('\x1e').map((packed) => {
    const [id, email, name, tags, properties, status, ms] = packed.split('\x1f') as Fields;
    const row = { id, email, tags, properties, status, created_ms: Number(ms) };
    return { id, email, json: jsonOf(row, name) };
  });
}

type Fields = [string, string, string, string, string, string, string];

const jsonOf = (
  { id, email, tags, properties, status, created_ms }: Omit<ContactRow, 'name'>,
  nameJson: string,
): string =>
  contactHead(id, email, nameJson, new Date(Math.round(created_ms)).toISOString()) +
  `,"tags":${tags},"properties":${properties},"status":"${status}"}`;

/** The fields of a contact that webhooks receive as JSON, without the brace at the end. */
export const contactHead = (id: string, email: string, nameJson: string, createdAt: string) =>
  `{"id":"${encodeId('contact', id)}","email":${JSON.stringify(email)},"name":${nameJson},"createdAt":"${createdAt}"`;
