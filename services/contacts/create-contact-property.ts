import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { encodeId, Fault, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { ContactProperty } from './entities/contact-property.entity.js';
import type { ContactsService } from './service.js';

type CreateContactProperty = Operations['contact-properties.create'];

export const createContactProperty = ({
  ids,
}: ContactsService): SessionHandler<CreateContactProperty> =>
  each<CreateContactProperty>(async ({ input, caller }, session) => {
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const { name, label, description = null } = input;
    try {
      return await session.transaction(async ({ em }) => {
        const property = em.create(ContactProperty, {
          workspaceId,
          id: ids.next(),
          name,
          label,
          description,
          createdAt: new Date(),
        });
        await em.flush();
        return { property: contactPropertyShape(property) };
      });
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const existing = await session.em.findOneOrFail(ContactProperty, { workspaceId, name });
      throw new Fault('conflict', 'A contact property with this name already exists.', {
        existingId: encodeId('contactProperty', existing.id),
      });
    }
  });

export function contactPropertyShape(
  property: ContactProperty,
): OutputOf<CreateContactProperty>['property'] {
  const { id, name, label, description, createdAt } = property;
  return {
    id: encodeId('contactProperty', id),
    name,
    label,
    type: 'string',
    ...(description === null || description === undefined ? {} : { description }),
    createdAt: createdAt.toISOString(),
  };
}
