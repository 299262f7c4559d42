import { timeOfId } from '@roster/contracts';
import { createHash } from 'node:crypto';
import pg from 'pg';
import {
  apiKeyOf,
  contactUuid,
  contactUuidStart,
  userUuid,
  workspaceUuid,
  type DataSet,
} from './data-set.js';

/** Fills a migrated database. Triggers maintain the counters, as in production. */
export async function loadDataSet(url: string, dataSet: DataSet): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const { first, count, contacts } of Object.values(dataSet)) {
      const workspaces = Array.from({ length: count }, (_, index) => first + index);
      await loadWorkspaces(client, workspaces);
      await loadContacts(client, workspaces, contacts);
    }
    // As after some time in production: pages are all-visible, which permits index-only scans.
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

async function loadWorkspaces(client: pg.Client, workspaces: readonly number[]): Promise<void> {
  const ids = workspaces.map(workspaceUuid);
  const users = workspaces.map(userUuid);
  const hashes = workspaces.map((n) => createHash('sha256').update(apiKeyOf(n)).digest());
  await client.query(
    `insert into users.workspaces (id, name, created_at)
     select id, 'Bench', now() from unnest($1::uuid[]) as w (id)`,
    [ids],
  );
  await client.query(
    `insert into users.users (workspace_id, id, email, email_key, name, created_at, last_accessed_at)
     select workspace_id, id, 'owner@example.com', 'owner@example.com', 'Owner', now(), now()
     from unnest($1::uuid[], $2::uuid[]) as u (workspace_id, id)`,
    [ids, users],
  );
  await client.query(
    `insert into users.api_keys (workspace_id, id, user_id, sha256, scopes, created_at)
     select workspace_id, id, id, sha256, '{api_user,user}', now()
     from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as k (workspace_id, id, sha256)`,
    [ids, users, hashes],
  );
  await client.query(
    `insert into contacts.contact_properties (workspace_id, id, name, label)
     select workspace_id, gen_random_uuid(), name, name
     from unnest($1::uuid[]) as w (workspace_id), unnest('{city,plan}'::text[]) as p (name)`,
    [ids],
  );
}

const contactsPerStatement = 250_000;

async function loadContacts(
  client: pg.Client,
  workspaces: readonly number[],
  contacts: number,
): Promise<void> {
  const numbers = workspaces.map((n) => n.toString(16).padStart(3, '0'));
  for (let from = 0; from < contacts; from += contactsPerStatement) {
    const to = Math.min(contacts, from + contactsPerStatement) - 1;
    await client.query(insertContacts, [
      workspaces.map(workspaceUuid),
      numbers.map((number) => contactUuidStart + number),
      from,
      to,
    ]);
  }
  await client.query(
    `insert into contacts.watermarks (workspace_id, last_id)
     select * from unnest($1::uuid[], $2::uuid[])`,
    [
      workspaces.map(workspaceUuid),
      workspaces.map((n) => contactUuid(n, Math.max(0, contacts - 1))),
    ],
  );
}

/** Contacts `$3` to `$4` of each workspace, about 250 bytes each, similar to imported contacts. */
export const insertContacts = `
  insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
  select w.id, (w.start || '-' || lpad(to_hex(n), 12, '0'))::uuid,
    'contact.' || lpad(n::text, 8, '0') || '@example.com', 'contact.' || lpad(n::text, 8, '0') || '@example.com',
    'Contact Number ' || n, '["customer","newsletter"]'::jsonb,
    jsonb_build_object('city', (array['London','Paris','Berlin','Madrid','Rome'])[n % 5 + 1], 'plan', 'professional'),
    '${new Date(timeOfId(contactUuid(0, 0))).toISOString()}'
  from unnest($1::uuid[], $2::text[]) as w (id, start), generate_series($3::int, $4::int) as n
  order by w.id, n`;
