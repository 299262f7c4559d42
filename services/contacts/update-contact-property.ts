import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { ContactProperty } from './entities/contact-property.entity.js';
import { contactPropertyShape } from './create-contact-property.js';

type UpdateContactProperty = Operations['contact-properties.update'];

export const updateContactProperty: SessionHandler<UpdateContactProperty> =
  each<UpdateContactProperty>(({ input, caller }, session) =>
    session.transaction(async ({ em }) => {
      const workspaceId = uuidOf('workspace', caller.workspaceId);
      const property = await em.findOne(ContactProperty, {
        workspaceId,
        id: uuidOf('contactProperty', input.propertyId),
      });
      if (!property) throw notFound('contactProperty');
      if (input.label !== undefined) property.label = input.label;
      if (input.description !== undefined) property.description = input.description;
      await em.flush();
      return { property: contactPropertyShape(property) };
    }),
  );
