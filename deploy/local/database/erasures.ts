import { encodeId, uuidOf } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { patienceMs, withDatabase } from './with-database.js';

/** What the ledger has of an erasure: nothing of the contact but its ID, and a keyed hash of its address. */
const entry = z.strictObject({
  workspaceId: z.string(),
  id: z.string(),
  contactId: z.string(),
  addressHash: z.string().nullable(),
  createdAt: z.string(),
});
type Entry = z.output<typeof entry>;

/** Erasures that are sent with one statement. */
const portion = 500;

/** The erasures of all workspaces, each as a line of JSON. */
export function printLedger(url: string): Promise<string> {
  return withDatabase(url, 'contacts', performance.now() + patienceMs, async (database) => {
    const rows = await database.query<LedgerRow>(selectLedger, []);
    return rows
      .map((row): Entry => ({
        workspaceId: encodeId('workspace', row.workspace_id),
        id: encodeId('erasure', row.id),
        contactId: encodeId('contact', row.contact_id),
        addressHash: row.address_hash,
        createdAt: row.created_at,
      }))
      .map((one) => `${JSON.stringify(one)}\n`)
      .join('');
  });
}

/**
 * Begins the erasures of a ledger again, in a database that was restored from an older backup: deletes the contacts, and lets the
 * contacts service erase the rest when it runs. Repeating it changes nothing that is erased already.
 */
export function replayLedger(url: string, file: string): Promise<{ erasures: number }> {
  const entries = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => entry.parse(JSON.parse(line)));
  return withDatabase(url, 'contacts', performance.now() + patienceMs, async (database) => {
    for (let at = 0; at < entries.length; at += portion) {
      const some = entries.slice(at, at + portion);
      await database.query(replay, [
        some.map(({ workspaceId }) => uuidOf('workspace', workspaceId)),
        some.map(({ id }) => uuidOf('erasure', id)),
        some.map(({ contactId }) => uuidOf('contact', contactId)),
        some.map(({ addressHash }) => addressHash),
        some.map(({ createdAt }) => createdAt),
      ]);
    }
    return { erasures: entries.length };
  });
}

interface LedgerRow {
  workspace_id: string;
  id: string;
  contact_id: string;
  address_hash: string | null;
  created_at: string;
}

const selectLedger: Statement = {
  name: 'erasures.ledger',
  text: `
    select workspace_id, id, contact_id, encode(address_hash, 'hex') as address_hash,
      to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from contacts.erasures order by workspace_id, id`,
};

/** What is searched for is what the restored contact has. */
const replay: Statement = {
  name: 'erasures.replay',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[])
        as i (workspace_id, id, contact_id, address_hash, created_at)
    ), gone as (
      delete from contacts.contacts c using input i
      where c.workspace_id = i.workspace_id and c.id = i.contact_id
      returning c.workspace_id, c.id, c.email, c.email_key, c.name, c.external_id
    )
    insert into contacts.erasures as e
      (workspace_id, id, contact_id, address_hash, known, status, step, created_at)
    select i.workspace_id, i.id, i.contact_id, decode(i.address_hash, 'hex'),
      jsonb_build_object(
        'emails', case when g.id is null then '[]' else jsonb_build_array(g.email, g.email_key) end,
        'others', case when g.id is null then '[]' else to_jsonb(array_remove(array[g.name, g.external_id], null)) end
      )::text,
      'queued', 'events', i.created_at
    from input i left join gone g on g.workspace_id = i.workspace_id and g.id = i.contact_id
    on conflict (workspace_id, contact_id) do update
      set status = 'queued', step = 'events', known = excluded.known, position = null, until = null, pending = null,
        reached = null, next_at = now(), ended_at = null
      where e.status = 'completed'`,
};
