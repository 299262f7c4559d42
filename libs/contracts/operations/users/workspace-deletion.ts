import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';

/** Idempotent: what was deleted is not found again. */
const input = z.strictObject({ workspaceId: idSchema('workspace') });
const output = z.object({
  /** Rows and messages. */
  deleted: z.int(),
  /** Whether nothing of the workspace was left when the call began. */
  isDone: z.boolean(),
});

/** The parts of the deletion of a workspace that services do: the users service calls them, portion by portion, until nothing is left. */
export const contactsDeletionOperations = {
  'contacts.delete-workspace': defineOperation({
    name: 'contacts.delete-workspace',
    summary: 'Delete a portion of what contacts and the stream of events hold of a workspace',
    service: 'contacts',
    access: 'write',
    calledBy: ['users'],
    input,
    output,
    faults: [],
  }),
};

export const webhooksDeletionOperations = {
  'webhooks.delete-workspace': defineOperation({
    name: 'webhooks.delete-workspace',
    summary: 'Delete a portion of what webhooks holds of a workspace',
    service: 'webhooks',
    access: 'write',
    calledBy: ['users'],
    input,
    output,
    faults: [],
  }),
};

export const dispatcherDeletionOperations = {
  'dispatcher.delete-workspace': defineOperation({
    name: 'dispatcher.delete-workspace',
    summary: 'Delete a portion of what the dispatcher holds of a workspace',
    service: 'dispatcher',
    access: 'write',
    calledBy: ['users'],
    input,
    output,
    faults: [],
  }),
};
