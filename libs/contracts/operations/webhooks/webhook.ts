import { z } from 'zod';
import { webhookPayloads } from '../../event-details.js';
import { allKinds, eventKinds, storedKind, subscribableKinds } from '../../event.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { webhookFilter } from '../../webhook-filter.js';
import { ownHeaders, ownHeadersMax, ownHeaderValue } from './webhook-headers.js';
import { isHost, overlapSeconds, text, timestamp } from '../../text.js';

/** Where a webhook is delivered to. Which addresses and ports are allowed is a setting of the webhooks service. */
const url = text(1, 2048)
  .refine(isTargetUrl, {
    error: 'must be an http or https URL without credentials or fragment',
    abort: true,
  })
  .refine((value) => isHost(new URL(value)), {
    error:
      'must have an IP address as its host, or a name of at most 253 characters, whose labels are 1 to 63 letters, digits, hyphens or underscores and neither begin nor end with a hyphen',
  })
  .overwrite(withoutSpaces)
  .meta({
    description:
      'Address as browsers read it (URL Standard): `http` or `https`, without credentials and fragment.',
    examples: ['https://example.com/hooks/roster'],
  });

/** Maximum number of webhooks of a workspace, because every event is matched against all of them. */
export const webhooksMax = 1000;

const events = z
  .array(z.enum(subscribableKinds))
  .min(1)
  .max(eventKinds.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, { error: 'must not contain duplicates' })
  .refine((kinds) => kinds.length === 1 || !kinds.includes(allKinds), {
    error: 'must contain no other kinds beside *',
  })
  .meta({
    uniqueItems: true,
    description: 'Kinds, or only `*`: all kinds, also those that later releases add.',
  });
const token = z
  .string()
  .regex(/^[\x21-\x7e]{8,256}$/, 'must be 8 to 256 printable ASCII characters without spaces')
  .optional()
  .meta({
    description: 'Stored as given. Defaults to a generated token with the prefix `wht_`.',
  });
const payload = z.enum(webhookPayloads).meta({
  description:
    'Fields of `data` in deliveries. `compact`: `id`, `email`, `name` and `createdAt` of a contact. `full`: also its `tags`, `properties` and `status`, and what changed.',
});

const description = text(1, 256)
  .nullable()
  .meta({ description: 'What the webhook is for, in the words of its owner.' });

const newHeaders = ownHeaders(ownHeaderValue).meta({
  description:
    'Further headers of its deliveries, such as `Authorization`. At most 10, with at most 4,096 characters together. Stored encrypted; responses contain their names only.',
});

const changedHeaders = ownHeaders(ownHeaderValue.nullable()).meta({
  description:
    'Headers to set, or to remove with null. The others stay. Applies to pending deliveries too.',
});

const ratePerSecond = z.int().min(1).max(1000).nullable().meta({
  description:
    'Maximum number of attempts per second, of all kinds of deliveries together. Null, the default, is no maximum of its own. Further deliveries wait.',
});

const traceContext = z.boolean().meta({
  description:
    'Whether deliveries carry `traceparent` and `tracestate`, if the request that caused the event was traced. False by default.',
});

const filter = webhookFilter.nullable().meta({
  description:
    'Only events of contacts that match all of it. Events without a contact do not match. Null, the default, is all events.',
});

const listed = z
  .object({
    id: idSchema('webhook'),
    // Optional until 0.4.0: 0.2.0 does not send it.
    description: description.optional(),
    url: z.string(),
    events: z
      .array(storedKind)
      .meta({ description: 'Event kinds as stored; `*` for all. Unknown kinds never match.' }),
    payload,
    // Optional until 0.4.0: 0.2.0 does not send it.
    headerNames: z
      .array(z.string())
      .meta({
        maxItems: ownHeadersMax,
        description: 'Names of its own headers. Their values are not returned.',
      })
      .optional(),
    // Optional until 0.4.0: 0.2.0 does not send it.
    ratePerSecond: ratePerSecond.optional(),
    filter: filter.optional(),
    // Optional until 0.4.0: 0.2.0 does not send it.
    traceContext: traceContext.optional(),
    createdAt: timestamp,
    status: z.enum(['active', 'failing', 'disabled']).meta({
      description:
        '`failing`: every attempt since the last success failed. `disabled`: no deliveries are sent until the webhook is enabled.',
    }),
    disabledReason: z.string().nullable(),
    lastSuccessAt: timestamp.nullable(),
    lastFailureAt: timestamp.nullable(),
  })
  .meta({ id: 'WebhookListed' });

export const webhook = listed
  .extend({
    token: z.string().meta({ description: 'Key of `X-Roster-Signature`.' }),
    signingSecret: z.string().meta({
      description:
        'The token as the libraries of Standard Webhooks take it: `whsec_` and the base64 of its bytes.',
    }),
  })
  .meta({ id: 'Webhook' });

/** The token of a webhook as `signingSecret`. */
export const signingSecretOf = (token: string): string =>
  `whsec_${Buffer.from(token).toString('base64')}`;

const one = z.object({ webhook });
const webhookId = idSchema('webhook');

export const webhookOperations = {
  'webhooks.list': defineOperation({
    name: 'webhooks.list',
    summary: 'List webhooks',
    service: 'webhooks',
    access: 'read',
    scope: 'api_user',
    tag: 'Webhooks',
    http: { method: 'GET', path: '/v1/webhooks', status: 200 },
    input: z.strictObject({}),
    output: z.object({ webhooks: z.array(listed).meta({ maxItems: webhooksMax }) }),
    faults: [],
  }),
  'webhooks.get': defineOperation({
    name: 'webhooks.get',
    summary: 'Get a webhook',
    service: 'webhooks',
    access: 'read',
    audited: true,
    scope: 'user',
    containsSecret: true,
    resource: 'webhook',
    tag: 'Webhooks',
    http: {
      method: 'GET',
      path: '/v1/webhooks/{webhookId}',
      status: 200,
      etag: {
        // `disabledReason` counts: an update of the URL enables the webhook.
        maintained: ['status', 'lastSuccessAt', 'lastFailureAt'],
        secret: ['token', 'signingSecret'],
      },
    },
    input: z.strictObject({ webhookId }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.find': defineOperation({
    name: 'webhooks.find',
    summary: 'Get a webhook without its secrets',
    service: 'webhooks',
    access: 'read',
    scope: 'user',
    partOf: ['webhooks.get'],
    unexposed: true,
    resource: 'webhook',
    input: z.strictObject({ webhookId }),
    output: z.object({ webhook: listed }),
    faults: ['not_found'],
  }),
  'webhooks.create': defineOperation({
    name: 'webhooks.create',
    summary: 'Create a webhook',
    service: 'webhooks',
    access: 'write',
    audited: true,
    scope: 'api_user',
    containsSecret: true,
    tag: 'Webhooks',
    http: { method: 'POST', path: '/v1/webhooks', status: 201 },
    input: z.strictObject({
      url,
      events,
      token,
      payload: payload.optional(),
      description: description.optional(),
      headers: newHeaders.optional(),
      ratePerSecond: ratePerSecond.optional(),
      filter: filter.optional(),
      traceContext: traceContext.optional(),
    }),
    output: one,
    faults: ['conflict', 'limit_reached'],
  }),
  'webhooks.update': defineOperation({
    name: 'webhooks.update',
    summary: 'Update a webhook',
    service: 'webhooks',
    access: 'write',
    audited: true,
    scope: 'user',
    containsSecret: true,
    resource: 'webhook',
    tag: 'Webhooks',
    http: { method: 'PUT', path: '/v1/webhooks/{webhookId}', status: 200 },
    input: z.strictObject({
      webhookId,
      url: url.optional(),
      events: events.optional(),
      payload: payload.optional(),
      description: description.optional(),
      headers: changedHeaders.optional(),
      ratePerSecond: ratePerSecond.optional(),
      filter: filter.optional(),
      traceContext: traceContext.optional(),
    }),
    output: one,
    faults: ['not_found', 'conflict', 'precondition_failed'],
  }),
  'webhooks.delete': defineOperation({
    name: 'webhooks.delete',
    summary: 'Delete a webhook',
    service: 'webhooks',
    access: 'write',
    audited: true,
    scope: 'user',
    resource: 'webhook',
    tag: 'Webhooks',
    http: { method: 'DELETE', path: '/v1/webhooks/{webhookId}', status: 200 },
    input: z.strictObject({ webhookId }),
    output: z.object({ deleted: z.literal(true) }),
    faults: ['not_found', 'precondition_failed'],
  }),
  'webhooks.rotate-token': defineOperation({
    name: 'webhooks.rotate-token',
    summary: 'Rotate the token of a webhook',
    service: 'webhooks',
    access: 'write',
    audited: true,
    scope: 'user',
    containsSecret: true,
    resource: 'webhook',
    tag: 'Webhooks',
    http: { method: 'POST', path: '/v1/webhooks/{webhookId}/rotate-token', status: 200 },
    input: z.strictObject({
      webhookId,
      token,
      overlapSeconds: overlapSeconds(
        'How long deliveries are also signed with the previous token.',
      ),
    }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.enable': defineOperation({
    name: 'webhooks.enable',
    summary: 'Enable a webhook',
    service: 'webhooks',
    access: 'write',
    audited: true,
    scope: 'user',
    containsSecret: true,
    resource: 'webhook',
    tag: 'Webhooks',
    http: { method: 'POST', path: '/v1/webhooks/{webhookId}/enable', status: 200 },
    input: z.strictObject({ webhookId }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
  'webhooks.disable': defineOperation({
    name: 'webhooks.disable',
    summary: 'Disable a webhook',
    service: 'webhooks',
    access: 'write',
    audited: true,
    scope: 'user',
    containsSecret: true,
    resource: 'webhook',
    tag: 'Webhooks',
    http: { method: 'POST', path: '/v1/webhooks/{webhookId}/disable', status: 200 },
    input: z.strictObject({ webhookId }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
};

/** What URL parsers ignore is not stored: surrounding spaces and control characters, tabs and line breaks anywhere. */
function withoutSpaces(value: string): string {
  return value.replaceAll(/^[\0- ]+|[\0- ]+$|[\t\n\r]+/g, '');
}

function isTargetUrl(value: string): boolean {
  const parsed = URL.parse(value);
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return false;
  return (
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.hostname !== '' &&
    !value.includes('#')
  );
}
