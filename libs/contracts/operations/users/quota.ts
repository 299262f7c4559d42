import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';

const quotaMax = 1_000_000_000_000;
const contacts = z.int().min(0).max(quotaMax).nullable().meta({
  description: 'Maximum number of contacts: creations beyond it are refused. Null: no quota.',
});
const requestsPerDay = z.int().min(0).max(quotaMax).nullable().meta({
  description: 'Maximum number of requests of a day (UTC). Null: no quota.',
});

export const quotas = z.object({ contacts, requestsPerDay }).meta({ id: 'WorkspaceQuotas' });
export type WorkspaceQuotas = z.output<typeof quotas>;

export const quotasInput = z
  .strictObject({ contacts: contacts.optional(), requestsPerDay: requestsPerDay.optional() })
  .meta({ description: 'Quotas that are omitted stay as they are.' });

/** Of the workspace of a key: how much of it is used, as far as gateways have reported. */
export const requestQuota = z
  .object({
    requestsPerDay: z.int(),
    /** The day (UTC) of `requests`. */
    day: z.string(),
    requests: z.number(),
  })
  .optional();
export type RequestQuota = NonNullable<z.output<typeof requestQuota>>;

export const quotaOperations = {
  'workspace-quotas.get': defineOperation({
    name: 'workspace-quotas.get',
    summary: 'Get the maximum number of contacts of a workspace',
    service: 'users',
    access: 'read',
    calledBy: ['contacts'],
    input: z.strictObject({ workspaceId: idSchema('workspace') }),
    output: z.object({ contacts }),
    faults: [],
  }),
};
