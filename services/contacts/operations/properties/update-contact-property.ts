import { LockMode } from '@mikro-orm/core';
import {
  Fault,
  notFound,
  operations,
  propertyTypeLimits,
  uuidOf,
  type Operations,
} from '@roster/contracts';
import { each, requireMatch, type SessionHandler } from '@roster/storage';
import { ContactProperty } from '../../entities/contact-property.entity.js';
import type { ContactsService } from '../../service.js';
import {
  convertValues,
  refusalOf,
  surveyValues,
  wantedOf,
  type SurveyLimits,
} from '../../writing/definitions/change-type.js';
import { lockDefinitions } from '../../writing/definitions/definition-rows.js';
import { markTyped } from '../../writing/definitions/typed-workspaces.js';
import { createWatermark } from '../../writing/watermark.js';
import { contactPropertyShape } from './create-contact-property.js';

type UpdateContactProperty = Operations['contact-properties.update'];

/** Changes a type only if no value contradicts it. Values are read before the turn of the workspace is taken, and converted in it. */
export const updateContactProperty = (
  service: ContactsService,
  limits: SurveyLimits = propertyTypeLimits,
): SessionHandler<UpdateContactProperty> =>
  each<UpdateContactProperty>(async (call, session) => {
    const { input, caller } = call;
    const { label, description, type, dryRun = false } = input;
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const key = { workspaceId, id: uuidOf('contactProperty', input.propertyId) };
    const matching = (property: ContactProperty | null): ContactProperty => {
      if (!property) throw notFound('contactProperty');
      requireMatch(call, operations['contact-properties.get'], () =>
        JSON.stringify({ property: contactPropertyShape(property) }),
      );
      return property;
    };
    const former =
      type === undefined && !dryRun
        ? undefined
        : matching(await session.em.findOne(ContactProperty, key));
    // Clients send back the type that a property has: only another one is a change.
    const wanted =
      former && type && type !== former.type ? wantedOf(call, former.name, type) : undefined;
    const survey = wanted && (await surveyValues(session, wanted, limits));
    const refusal = survey && refusalOf(survey, wanted.type, limits);
    const change = survey && { change: { ...survey.change, refusal: refusal?.message ?? null } };
    if (former && dryRun) return { property: contactPropertyShape(former), ...change };
    if (refusal) throw refusal;
    if (survey) {
      await createWatermark(service, call);
    }
    return session.transaction(async (inner) => {
      const { em } = inner;
      if (wanted) await lockDefinitions(inner, workspaceId, []);
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
      const property = matching(await em.findOne(ContactProperty, key, lock));
      if (label !== undefined) property.label = label;
      if (description !== undefined) property.description = description;
      if (former && property.type !== former.type) throw changedMeanwhile(property.type);
      if (wanted) {
        await markTyped(inner, workspaceId);
        property.type = wanted.type;
      }
      await em.flush();
      if (survey) {
        await convertValues(service, call, wanted, survey, limits, inner);
        inner.afterCommit(() => {
          service.definitions.forget(workspaceId);
          service.bus.broadcast('contact-properties.deleted', { workspaceId: caller.workspaceId });
        });
      }
      return { property: contactPropertyShape(property), ...change };
    });
  });

const changedMeanwhile = (type: string): Fault =>
  new Fault('conflict', `Another request changed the type to ${type} at the same time.`);
