import { encodeId } from '@roster/contracts';

/** A contact as the statements return it. `tags` and `properties` are JSON text already. */
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
   (extract(epoch from ${alias}.created_at) * 1000)::float8 as created_ms`;

/** A contact as JSON text, in the contract's shape. */
export function contactJson({
  id,
  email,
  name,
  tags,
  properties,
  status,
  created_ms,
}: ContactRow): string {
  return (
    `{"id":"${encodeId('contact', id)}","email":${JSON.stringify(email)},"name":${JSON.stringify(name)},` +
    `"createdAt":"${new Date(Math.round(created_ms)).toISOString()}","tags":${tags},"properties":${properties},` +
    `"status":"${status}"}`
  );
}
