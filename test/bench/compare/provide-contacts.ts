import pg from 'pg';
import { contactUuidStart, workspaceUuid, type DataSet } from '../data/data-set.js';
import { insertContacts } from '../data/load-data-set.js';

/** Adds contacts to the workspace for writes, from `sequence` on, for jobs that delete them. */
export async function provideContacts(
  databaseUrl: string,
  { written }: DataSet,
  sequence: number,
  count: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const from = written.contacts + sequence;
    await client.query(insertContacts, [
      [workspaceUuid(written.first)],
      [contactUuidStart + written.first.toString(16).padStart(3, '0')],
      from,
      from + count - 1,
    ]);
  } finally {
    await client.end();
  }
}
