import { z } from 'zod';
import { eventData, eventKindsInput, storedKind, type EventKind } from '../../event.js';
import { idSchema } from '../../ids.js';
import { defineOperation } from '../../operation.js';
import { limitInput } from '../../page.js';
import { inputTimestamp, timestamp } from '../../text.js';
import { listedDelivery } from './delivery.js';

const listedEvent = z
  .object({
    id: idSchema('event'),
    kind: storedKind,
    createdAt: timestamp,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: '`data` of the body of its deliveries with the payload `compact`.' }),
  })
  .meta({ id: 'EventListed' });

const event = listedEvent
  .extend({
    deliveries: z
      .array(listedDelivery)
      .meta({ description: 'One for each webhook that subscribed to the kind.' }),
  })
  .meta({ id: 'Event' });

const ofKind = (shape: z.ZodRawShape, kind: EventKind): z.ZodObject =>
  z.object({ ...shape, kind: z.literal(kind), data: eventData[kind] });

/** An event of the log by its kind, which determines its `data`. */
export const listedEventOf = (kind: EventKind): z.ZodObject => ofKind(listedEvent.shape, kind);
/** The same with its deliveries. */
export const eventOf = (kind: EventKind): z.ZodObject => ofKind(event.shape, kind);

export const eventOrders = ['asc', 'desc'] as const;

const eventId = idSchema('event');
const tag = 'Event log';

export const eventLogOperations = {
  'event-log.list': defineOperation({
    name: 'event-log.list',
    summary: 'List events in the order in which they were published, or newest first',
    service: 'dispatcher',
    readsEventLog: true,
    access: 'read',
    scope: 'api_user',
    tag,
    http: { method: 'GET', path: '/v1/events', status: 200 },
    input: z.strictObject({
      limit: limitInput(
        'events',
        'A page may contain fewer events, or with `kinds`, `contactId` or `since` none, although `hasMore` is true.',
      ),
      after: z.string().max(64).optional().meta({
        description:
          'Only events that were published after this one, or with `order=desc` before it: `pagination.next`, the ID of an event, or of a delivery of it.',
      }),
      // Without a default, as every new field of an input: the service applies it.
      order: z.enum(eventOrders).optional().meta({
        description:
          '`asc`, the default: in the order in which they were published. `desc`: newest first.',
      }),
      contactId: idSchema('contact')
        .optional()
        .meta({ description: 'Only events about this contact.' }),
      kinds: eventKindsInput.optional().meta({ description: 'Only events of these kinds.' }),
      since: inputTimestamp
        .optional()
        .meta({ description: 'Only events that happened at or after this time.' }),
    }),
    output: z.object({
      events: z.array(listedEvent),
      pagination: z.object({
        limit: z.int().meta({ description: 'Limit that was applied.' }),
        next: z.string().nullable().meta({
          description:
            'Cursor for `after`, also on the last page and on an empty one, where it continues with the events that are published later: for each request take it from the last response, and it does not expire. Null if there is no event. With `order=desc`, null on the last page.',
        }),
        hasMore: z.boolean().meta({ description: 'Whether there may be further events already.' }),
      }),
    }),
    faults: [],
  }),
  'event.get': defineOperation({
    name: 'event.get',
    summary: 'Get an event with its deliveries',
    service: 'dispatcher',
    readsEventLog: true,
    access: 'read',
    scope: 'user',
    resource: 'event',
    tag,
    http: { method: 'GET', path: '/v1/events/{eventId}', status: 200, etag: { maintained: [] } },
    input: z.strictObject({ eventId }),
    output: z.object({ event }),
    faults: ['not_found'],
  }),
};
