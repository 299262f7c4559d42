import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { knownValues } from '../../known-values.js';
import { defineOperation } from '../../operation.js';

/** The parts of erasures of contacts that the dispatcher does: the contacts service calls them until they are done. */
export const eventErasureOperations = {
  'dispatcher.is-acknowledged': defineOperation({
    name: 'dispatcher.is-acknowledged',
    summary: 'Whether the deliveries of all events up to a sequence of the stream are recorded',
    service: 'dispatcher',
    access: 'read',
    calledBy: ['contacts'],
    input: z.strictObject({ workspaceId: idSchema('workspace'), sequence: z.int() }),
    output: z.object({ acknowledged: z.boolean() }),
    faults: [],
  }),
  /** Idempotent. */
  'dispatcher.erase-contact': defineOperation({
    name: 'dispatcher.erase-contact',
    summary: 'Empty the next events and deliveries of a contact, and answers to requests',
    service: 'dispatcher',
    access: 'write',
    calledBy: ['contacts'],
    input: z.strictObject({
      workspaceId: idSchema('workspace'),
      contactId: idSchema('contact'),
      known: knownValues.meta({ examples: [{ emails: ['ada@example.com'], others: [] }] }),
      /** Where the last call ended. Null for the first one. */
      after: idSchema('event')
        .nullable()
        .meta({ examples: [null] }),
    }),
    output: z.object({
      /** Null if there are no further events. */
      reached: idSchema('event').nullable(),
      deliveries: z.int(),
      records: z.int(),
    }),
    faults: [],
  }),
};
