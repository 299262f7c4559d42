import { LockMode } from '@mikro-orm/core';
import type { Call } from '@roster/bus';
import { notFound, operations, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import {
  conditional,
  inRounds,
  type ConditionedResources,
  type Session,
  type SessionHandler,
  type Statement,
} from '@roster/storage';
import { contactPropertyShape } from './create-contact-property.js';
import { ContactProperty } from '../../entities/contact-property.entity.js';
import { auditLog, type ContactsService } from '../../service.js';
import { AuditAllowance } from '../../writing/audit-allowance.js';

type DeleteContactProperty = Operations['contact-properties.delete'];

/** Deletes only definitions. The values of contacts, possibly millions, are kept. */
export function deleteContactProperty({
  bus,
  definitions,
}: ContactsService): SessionHandler<DeleteContactProperty> {
  const allowance = new AuditAllowance();
  const remove = async (calls: readonly Call<InputOf<DeleteContactProperty>>[], inner: Session) => {
    const rows = await inner.query<DeletedRow>(removeRows, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('contactProperty', input.propertyId)),
    ]);
    const gone = new Map(rows.map(({ n, name, label }) => [calls[n - 1]!, { name, label }]));
    const recorded = [...gone].filter(([call]) => allowance.admits(call));
    await auditLog.recordAll(
      inner,
      recorded.map(([call, before]) => {
        const { propertyId: resourceId } = call.input;
        return [call, { action: 'contact_property.deleted', resourceId, before }];
      }),
    );
    inner.afterCommit(() => {
      for (const [call] of recorded) allowance.took(call);
      for (const workspaceId of new Set([...gone.keys()].map(({ caller }) => caller.workspaceId))) {
        definitions.forget(uuidOf('workspace', workspaceId));
        bus.broadcast('contact-properties.deleted', { workspaceId });
      }
    });
    return calls.map((call) =>
      gone.has(call) ? { deleted: true as const } : notFound('contactProperty'),
    );
  };
  return inRounds<DeleteContactProperty>(
    { rowOf: ({ input }) => input.propertyId },
    conditional<DeleteContactProperty>(lockedProperties, (calls, session) =>
      session.transaction((inner) => remove(calls, inner)),
    ),
  );
}

interface DeletedRow {
  n: number;
  name: string;
  label: string;
}

const lockedProperties: ConditionedResources<DeleteContactProperty> = {
  get: operations['contact-properties.get'],
  async lock(calls, { em }) {
    const keys = calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('contactProperty', input.propertyId),
    }));
    const found = await em.find(
      ContactProperty,
      { $or: keys },
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { workspaceId: 'asc', id: 'asc' } },
    );
    return keys.map(({ workspaceId, id }) => {
      const property = found.find((one) => one.workspaceId === workspaceId && one.id === id);
      return property && JSON.stringify({ property: contactPropertyShape(property) });
    });
  },
};

/** Locks the rows in the order of their keys first, so that two batches cannot deadlock. */
const removeRows: Statement = {
  name: 'contact-properties.delete',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[]) with ordinality as i (workspace_id, id, n)
    ), locked as (
      select d.workspace_id, d.id from contacts.contact_properties d
      where (d.workspace_id, d.id) in (select workspace_id, id from input)
      order by d.workspace_id, d.id for update
    )
    delete from contacts.contact_properties d using input i join locked l using (workspace_id, id)
    where d.workspace_id = i.workspace_id and d.id = i.id
    returning i.n::int, d.name, d.label`,
};
