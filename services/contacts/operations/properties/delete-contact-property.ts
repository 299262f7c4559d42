import { LockMode } from '@mikro-orm/core';
import { notFound, operations, uuidOf, type Operations } from '@roster/contracts';
import {
  conditional,
  inRounds,
  type ConditionedResources,
  type SessionHandler,
  type Statement,
} from '@roster/storage';
import { contactPropertyShape } from './create-contact-property.js';
import { ContactProperty } from '../../entities/contact-property.entity.js';
import type { ContactsService } from '../../service.js';

type DeleteContactProperty = Operations['contact-properties.delete'];

/** Deletes only definitions. The values of contacts, possibly millions, are kept. */
export const deleteContactProperty = ({
  bus,
  definitions,
}: ContactsService): SessionHandler<DeleteContactProperty> =>
  inRounds<DeleteContactProperty>(
    { rowOf: ({ input }) => input.propertyId },
    conditional<DeleteContactProperty>(lockedProperties, async (calls, session) => {
      const rows = await session.query<{ n: number }>(remove, [
        calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
        calls.map(({ input }) => uuidOf('contactProperty', input.propertyId)),
      ]);
      const gone = new Set(rows.map(({ n }) => n));
      const workspaceIds = new Set(
        calls.filter((_, index) => gone.has(index + 1)).map(({ caller }) => caller.workspaceId),
      );
      session.afterCommit(() => {
        for (const workspaceId of workspaceIds) {
          definitions.forget(uuidOf('workspace', workspaceId));
          bus.broadcast('contact-properties.deleted', { workspaceId });
        }
      });
      return calls.map((_, index) =>
        gone.has(index + 1) ? { deleted: true } : notFound('contactProperty'),
      );
    }),
  );

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
const remove: Statement = {
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
    returning i.n::int`,
};
