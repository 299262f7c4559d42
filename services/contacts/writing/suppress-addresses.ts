import type { Call } from '@roster/bus';
import {
  emailKey,
  encodeId,
  timeOfId,
  uuidOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { lines, linesOf, type Session, type Statement } from '@roster/storage';
import type { ContactsService } from '../service.js';
import { changeSubscriptions } from './change-subscriptions.js';

type Suppression = OutputOf<Operations['suppressions.get']>['suppression'];

export interface SuppressionRow {
  id: string;
  reason: Suppression['reason'];
}

export const suppressionShape = ({ id, reason }: SuppressionRow): Suppression => ({
  id: encodeId('suppression', id),
  reason,
  createdAt: new Date(timeOfId(id)).toISOString(),
});

export type Suppressed = SuppressionRow & { created: boolean };

/**
 * Suppresses addresses of the workspace of a call, and unsubscribes the contacts that have them. It takes the turn of the workspace
 * first: no contact is created with one of them meanwhile.
 *
 * @param emails different by their keys
 */
export async function suppressAddresses(
  service: ContactsService,
  call: Call,
  { emails, reason }: { emails: readonly string[]; reason: string },
  inner: Session,
): Promise<Suppressed[]> {
  const workspaceId = uuidOf('workspace', call.caller.workspaceId);
  await inner.query(takeTurn, [workspaceId]);
  const keys = lines(emails.map(emailKey));
  const kept = await inner.query<Suppressed>(keep, [workspaceId, keys, reason]);
  const subscribed = await inner.query<{ id: string }>(selectSubscribed, [workspaceId, keys]);
  const changes = subscribed.map(({ id }) => ({
    ...call,
    input: { contactId: encodeId('contact', id) },
  }));
  if (changes.length > 0) await changeSubscriptions(service, changes, inner, 'unsubscribed');
  return kept;
}

/** From now on, creations look for suppressions. */
const takeTurn: Statement = {
  name: 'suppressions.take-turn',
  text: `
    insert into contacts.watermarks as w (workspace_id, last_id, has_suppressions)
    values ($1, '00000000-0000-0000-0000-000000000000', true)
    on conflict (workspace_id) do update set has_suppressions = true`,
};

/**
 * A separate statement: it sees what was committed during the wait for the turn. A row that exists is written unchanged, which
 * returns it.
 */
const keep: Statement = {
  name: 'suppressions.keep',
  text: `
    with input as materialized (
      select n, contacts.suppression_hash($1::uuid, email_key) as hash
      from unnest(${linesOf('$2')}) with ordinality as i (email_key, n)
    ), kept as (
      insert into contacts.suppressions as s (workspace_id, id, hash, reason)
      select $1, contacts.suppression_id(), hash, $3 from input order by hash
      on conflict (workspace_id, hash) do update set reason = s.reason
      returning s.id, s.hash, s.reason, s.xmax = 0 as created
    )
    select id, reason, created from input join kept using (hash) order by n`,
};

const selectSubscribed: Statement = {
  name: 'suppressions.subscribed-contacts',
  text: `
    select c.id from unnest(${linesOf('$2')}) as i (email_key)
      join contacts.contacts c on c.workspace_id = $1 and c.email_key = i.email_key
    where c.status = 'subscribed' order by c.id`,
};
