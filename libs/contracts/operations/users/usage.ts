import { z } from 'zod';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';

export const usageLimits = {
  /** Days of one request. */
  days: 92,
  /** Days of a request that does not say from when. */
  daysByDefault: 30,
  /** Days for which usage is kept. */
  daysKept: 400,
  /** Workspaces of one report of a gateway. */
  reported: 1000,
} as const;

const dayLength = '2026-01-31'.length;
const example = { examples: ['2026-01-31'] };
/** A value of another type has the error of its type. */
const malformedDay = ({ input }: { input?: unknown }): string | undefined =>
  typeof input === 'string' ? 'must be a day such as 2026-01-31' : undefined;
const inputDay = z.iso.date({ error: malformedDay, abort: true }).max(dayLength).meta(example);
const day = z.string().meta({ format: 'date', ...example });
const workspaceId = idSchema('workspace');

/** Days in UTC. */
export const usagePeriod = {
  from: inputDay.optional().meta({ description: 'First day. Defaults to 29 days before `to`.' }),
  to: inputDay
    .optional()
    .meta({ description: 'Last day, at most 91 days after `from`. Defaults to the current day.' }),
};

const deliveries = z
  .object({
    attempts: z.int().meta({ description: 'Attempts that began on the day, except tests.' }),
    succeeded: z.int().meta({ description: 'Of these, those that receivers accepted.' }),
    failed: z.int(),
  })
  .meta({ id: 'UsageDeliveries' });

/** Requests and contacts are not `int`, which has 32 bits in GraphQL. */
const usageDay = z
  .object({
    day: day.meta({ description: 'The day, in UTC.' }),
    requests: z.number().meta({
      description: 'Requests, as rate limits count them: a batch is one for every 10 operations.',
    }),
    contacts: z.number().nullable().meta({
      description:
        'Contacts that there were at the end of the day, or are now. Null if they were not counted on that day.',
    }),
    deliveries,
  })
  .meta({ id: 'UsageDay' });

export const usageOutput = z.object({
  usage: z.array(usageDay).meta({
    maxItems: usageLimits.days,
    description: 'Oldest first. Without days to come, and those of more than 400 days ago.',
  }),
});

export const usageOperations = {
  'usage.get': defineOperation({
    name: 'usage.get',
    summary: 'Get the usage of the workspace by day',
    service: 'users',
    callsServices: ['contacts', 'dispatcher'],
    access: 'read',
    scope: 'user',
    tag: 'Usage',
    http: { method: 'GET', path: '/v1/usage', status: 200 },
    input: z.strictObject(usagePeriod),
    output: usageOutput,
    faults: [],
  }),
  'usage.report': defineOperation({
    name: 'usage.report',
    summary: 'Add requests that a gateway has counted to the usage of workspaces',
    service: 'users',
    access: 'write',
    calledBy: ['gateway'],
    input: z.strictObject({
      /** Random ID of the gateway process. */
      gateway: z.uuid().meta({ examples: ['2f1e7c0a-93a4-4d0e-8f55-0f6f9f4a1c2b'] }),
      /** Of the report. A gateway sends one until it is answered, then the next: others are not added again. */
      sequence: z.int().min(1),
      day: inputDay,
      requests: z
        .array(z.strictObject({ workspaceId, requests: z.int().min(1) }))
        .min(1)
        .max(usageLimits.reported),
    }),
    output: z.object({ added: z.literal(true) }),
    faults: [],
  }),
};

const ofWorkspace = z.strictObject({ workspaceId, from: inputDay, to: inputDay });

/** The users service joins what the other services have counted. */
export const contactsUsageOperations = {
  'contacts.usage': defineOperation({
    name: 'contacts.usage',
    summary: 'Get the number of contacts of a workspace by day',
    service: 'contacts',
    access: 'read',
    calledBy: ['users'],
    input: ofWorkspace,
    output: z.object({ days: z.array(z.object({ day, contacts: z.number() })) }),
    faults: [],
  }),
};

export const dispatcherUsageOperations = {
  'dispatcher.usage': defineOperation({
    name: 'dispatcher.usage',
    summary: 'Get the number of attempts of deliveries of a workspace by day',
    service: 'dispatcher',
    access: 'read',
    calledBy: ['users'],
    input: ofWorkspace,
    output: z.object({
      days: z.array(z.object({ day, attempts: z.int(), succeeded: z.int() })),
    }),
    faults: [],
  }),
};
