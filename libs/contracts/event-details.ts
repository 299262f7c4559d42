import { z } from 'zod';
import { eventData, type EventKind } from './event.js';
import { timestamp } from './text.js';
import { contactStatuses, storedPropertyValue } from './operations/contacts/contact-fields.js';

/** Which fields `data` has in the deliveries of a webhook. */
export const webhookPayloads = ['compact', 'full'] as const;
export type WebhookPayload = (typeof webhookPayloads)[number];

const contactDetails = z.object({
  tags: z.array(z.string()),
  properties: z.record(z.string(), storedPropertyValue),
  status: z.enum(contactStatuses),
  updatedAt: timestamp,
  version: z.int(),
  externalId: z.string().nullable(),
});

const previous = z
  .object({
    email: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    properties: z.record(z.string(), storedPropertyValue.nullable()),
    status: z.enum(contactStatuses),
    externalId: z.string().nullable(),
  })
  .partial();

/**
 * The data that `payload: "full"` adds to the body of an event. It is stored and published beside the body, which is sent
 * unchanged to webhooks with `payload: "compact"`.
 */
export const eventDetails = z.object({
  contact: contactDetails.partial(),
  previous: previous.optional(),
  /** Set if `previous` was omitted. Otherwise it is derived from it. */
  changed: z.array(z.string()).optional(),
  /** Fields that were left out because the details were too large. */
  omitted: z.array(z.string()).optional(),
});
export type EventDetails = z.output<typeof eventDetails>;

/** Maximum size of the details of an event in the stream, as JSON. The headers of a message in JetStream have at most 64 KiB. */
export const eventDetailsBytesMax = 8_000;

/**
 * Maximum size of an event in the stream, with its headers: the stream refuses larger messages, which only stolen credentials can
 * send. The largest event has less than half of it.
 */
export const eventMessageBytesMax = 32 * 1024;

/** The names of the fields with former values. */
export const changedFields = (previous: NonNullable<EventDetails['previous']>): string[] =>
  changeableFields.flatMap((field) => {
    if (previous[field] === undefined) return [];
    if (field !== 'properties') return [field];
    return Object.keys(previous.properties ?? {}).map((name) => `properties.${name}`);
  });

/** Fields of a contact whose changes events name. */
export const changeableFields = [
  'email',
  'name',
  'tags',
  'properties',
  'status',
  'externalId',
] as const;

const onlyFull = 'Only with `payload: "full"`.';
const omitted = z
  .array(z.string())
  .optional()
  .meta({
    description: `Fields that are left out because the event is too large, such as \`previous\` or \`contact.properties\`. ${onlyFull}`,
  });
const contactData = eventData.CONTACT_CREATED.extend({
  contact: eventData.CONTACT_CREATED.shape.contact.extend({
    tags: contactDetails.shape.tags.optional().meta({ description: onlyFull }),
    properties: contactDetails.shape.properties.optional().meta({ description: onlyFull }),
    status: contactDetails.shape.status.optional().meta({ description: onlyFull }),
    updatedAt: contactDetails.shape.updatedAt.optional().meta({ description: onlyFull }),
    version: contactDetails.shape.version.optional().meta({ description: onlyFull }),
    externalId: contactDetails.shape.externalId.optional().meta({ description: onlyFull }),
  }),
  omitted,
});
const changedData = contactData.extend({
  changed: z
    .array(z.string())
    .optional()
    .meta({
      description: `The changed fields: \`email\`, \`name\`, \`tags\`, \`status\`, \`externalId\`, \`properties.NAME\`. ${onlyFull}`,
    }),
  previous: previous.optional().meta({
    description: `The former values of the changed fields. A property that the contact did not have is null. ${onlyFull}`,
  }),
});

/** `data` of each event kind in deliveries, with the fields that only webhooks with `payload: "full"` receive. */
export const deliveredData = {
  CONTACT_CREATED: contactData,
  CONTACT_UPDATED: changedData,
  CONTACT_UNSUBSCRIBED: changedData,
  CONTACT_RESUBSCRIBED: changedData,
  CONTACT_DELETED: contactData.extend({ erased: eventData.CONTACT_DELETED.shape.erased }),
  WORKSPACE_TEAM_MEMBER_JOINED: eventData.WORKSPACE_TEAM_MEMBER_JOINED,
  IMPORT_ENDED: eventData.IMPORT_ENDED,
  ACTION_ENDED: eventData.ACTION_ENDED,
  WEBHOOK_FAILING: eventData.WEBHOOK_FAILING,
  WEBHOOK_DISABLED: eventData.WEBHOOK_DISABLED,
  DELIVERY_DEAD: eventData.DELIVERY_DEAD,
  KEY_EXPIRING: eventData.KEY_EXPIRING,
} satisfies Record<EventKind, z.ZodType>;
