import { contactUuid, workspaceUuid, type DataSet } from '../data/data-set.js';
import * as sql from '../monolith/contacts-sql.js';
import type { Statement } from '../monolith/database.js';
import { uuidV7 } from '../monolith/uuid-v7.js';

interface DriverStatement extends Statement {
  values(dataSet: DataSet, random: () => number): () => unknown[];
}

const zero = '00000000-0000-0000-0000-000000000000';
const tags = '["customer","vip"]';
const head =
  '{"event":"CONTACT_UPDATED","created_at":"2026-01-01T00:00:00.000Z","data":{"contact":{"id":""';

/** The monolith's statement of each job that has one. */
export const statements: Record<string, DriverStatement> = {
  get: {
    ...sql.get,
    values:
      ({ large: { first, contacts } }, random) =>
      () => [workspaceUuid(first), contactUuid(first, Math.floor(random() * contacts))],
  },
  list: {
    ...sql.list,
    values:
      ({ large: { first } }) =>
      () => [workspaceUuid(first), zero, 51, 0],
  },
  create: {
    ...sql.create,
    values:
      ({ written: { first } }, random) =>
      () => {
        const email = `${random()}.${random()}@example.net`;
        const properties = '{"city":"London","plan":"professional"}';
        const now = new Date().toISOString();
        const contact = [uuidV7(), email, email, 'New Contact', tags, properties, now];
        return [workspaceUuid(first), ...contact, uuidV7(), `${head}}}}`, []];
      },
  },
  update: {
    ...sql.update,
    values:
      ({ written: { first, contacts } }, random) =>
      () => {
        const id = contactUuid(first, Math.floor(random() * contacts));
        const changed = [null, null, `Renamed ${random()}`, tags, '{"city":"Rome"}', []];
        return [workspaceUuid(first), id, ...changed, uuidV7(), head, []];
      },
  },
};
