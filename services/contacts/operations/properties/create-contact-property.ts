import {
  contactPropertiesMax,
  encodeId,
  Fault,
  propertyTypeLimits,
  uuidOf,
  type ContactPropertyType,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { ContactProperty } from '../../entities/contact-property.entity.js';
import { lockDefinitions, tooManyDefinitions } from '../../writing/definitions/definition-rows.js';
import {
  convertValues,
  refusalOf,
  surveyValues,
  wantedOf,
} from '../../writing/definitions/change-type.js';
import { markTyped } from '../../writing/definitions/typed-workspaces.js';
import { createWatermark } from '../../writing/watermark.js';
import type { ContactsService } from '../../service.js';

type CreateContactProperty = Operations['contact-properties.create'];

export const createContactProperty = (
  service: ContactsService,
): SessionHandler<CreateContactProperty> =>
  each<CreateContactProperty>(async (call, session) => {
    const { input, caller } = call;
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const { name, label, type, description = null } = input;
    // Contacts may have values from before the property was deleted.
    const wanted = type === 'string' ? undefined : wantedOf(call, name, type);
    const survey = wanted && (await surveyValues(session, wanted, propertyTypeLimits));
    if (survey) {
      const refusal = refusalOf(survey, type, propertyTypeLimits);
      if (refusal) throw refusal;
      await createWatermark(service, call);
    }
    return session.transaction(async (inner) => {
      const { total, found } = await lockDefinitions(inner, workspaceId, [name]);
      if (found.has(name)) throw nameTaken(found.get(name)!.id);
      const [other] = found;
      if (other) throw differsByCase(other[0], other[1].id);
      if (total >= contactPropertiesMax) throw tooManyDefinitions;
      if (wanted) await markTyped(inner, workspaceId);
      const { em } = inner;
      const property = em.create(ContactProperty, {
        workspaceId,
        id: service.ids.next(),
        name,
        label,
        type,
        description,
        createdAt: new Date(),
      });
      await em.flush();
      if (survey) await convertValues(service, call, wanted, survey, propertyTypeLimits, inner);
      return { property: contactPropertyShape(property) };
    });
  });

const nameTaken = (existingId: string): Fault =>
  new Fault('conflict', 'A contact property with this name already exists.', {
    errors: [{ pointer: '/name', message: 'is the name of another contact property' }],
    existingId: encodeId('contactProperty', existingId),
  });

const differsByCase = (existing: string, existingId: string): Fault =>
  new Fault('conflict', `The name differs only by case from the contact property ${existing}.`, {
    errors: [
      { pointer: '/name', message: 'differs only by case from that of another contact property' },
    ],
    existingId: encodeId('contactProperty', existingId),
  });

export function contactPropertyShape(
  property: ContactProperty,
): OutputOf<CreateContactProperty>['property'] {
  const { id, name, label, type, description, createdAt } = property;
  return {
    id: encodeId('contactProperty', id),
    name,
    label,
    type: type as ContactPropertyType,
    ...(description === null || description === undefined ? {} : { description }),
    createdAt: createdAt.toISOString(),
  };
}
