import { LockMode } from '@mikro-orm/core';
import { notFound, operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type SessionHandler } from '@roster/storage';
import { ContactProperty } from '../../entities/contact-property.entity.js';
import { contactPropertyShape } from './create-contact-property.js';

type UpdateContactProperty = Operations['contact-properties.update'];

export const updateContactProperty: SessionHandler<UpdateContactProperty> =
  each<UpdateContactProperty>((call, session) =>
    session.transaction(async ({ em }) => {
      const { input, caller } = call;
      const workspaceId = uuidOf('workspace', caller.workspaceId);
      const key = { workspaceId, id: uuidOf('contactProperty', input.propertyId) };
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
      const property = await em.findOne(ContactProperty, key, lock);
      if (!property) throw notFound('contactProperty');
      requireMatch(call, operations['contact-properties.get'], () =>
        JSON.stringify({ property: contactPropertyShape(property) }),
      );
      if (input.label !== undefined) property.label = input.label;
      if (input.description !== undefined) property.description = input.description;
      await em.flush();
      return { property: contactPropertyShape(property) };
    }),
  );
