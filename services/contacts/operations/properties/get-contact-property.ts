import type { Handler } from '@roster/bus';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { ContactProperty } from '../../entities/contact-property.entity.js';
import { contactPropertyShape } from './create-contact-property.js';
import type { ContactsService } from '../../service.js';

/** Runs one query per batch. */
export const getContactProperty =
  ({ database }: ContactsService): Handler<Operations['contact-properties.get']> =>
  async (calls) => {
    const requested = calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('contactProperty', input.propertyId),
    }));
    const found = await database.em.find(ContactProperty, { $or: requested });
    const byKey = new Map(found.map((property) => [keyOf(property), property]));
    return requested.map((key) => {
      const property = byKey.get(keyOf(key));
      return property ? { property: contactPropertyShape(property) } : notFound('contactProperty');
    });
  };

const keyOf = ({ workspaceId, id }: { workspaceId: string; id: string }) => `${workspaceId}/${id}`;
