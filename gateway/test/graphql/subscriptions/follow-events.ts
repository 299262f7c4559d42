import { eventually } from '@roster/testing';
import type { TestKey } from '../../stub-services.js';
import type { GraphqlError } from '../execute-graphql.js';
import type { PublishedEvents } from './published-events.js';
import type { Result, SubscriptionClient } from './transports.js';

export interface Received {
  names: string[];
  ids: string[];
  codes: string[];
  results: Result[];
  /** How it ended: `complete`, or the error or close event. */
  end: unknown;
  stop(): void;
}

export const eventsDocument = `subscription ($kinds: [EventKind!], $after: ID) {
  events(kinds: $kinds, after: $after) { __typename id kind createdAt ... on ContactEvent { contact { name } } }
}`;

/** Subscribes, and collects the events and errors that arrive. */
export function followEvents(
  client: SubscriptionClient,
  variables: Record<string, unknown> = {},
  query = eventsDocument,
): Received {
  const received: Received = {
    names: [],
    ids: [],
    codes: [],
    results: [],
    end: undefined,
    stop: () => {},
  };
  received.stop = client.subscribe(
    { query, variables },
    {
      next(result) {
        received.results.push(result);
        const event = result.data?.['events'] as
          | { id: string; contact: { name: string } }
          | undefined;
        if (event) received.ids.push(event.id);
        if (event) received.names.push(event.contact.name);
        for (const { extensions } of result.errors ?? [])
          received.codes.push(extensions?.['code'] as string);
      },
      error(error) {
        const errors = Array.isArray(error) ? (error as GraphqlError[]) : [];
        for (const { extensions } of errors) received.codes.push(extensions.code);
        received.end = error;
      },
      complete: () => (received.end = 'complete'),
    },
  );
  return received;
}

/** As `followEvents`, and waits until the subscription receives events. */
export async function followLiveEvents(
  client: SubscriptionClient,
  events: PublishedEvents,
  { workspaceId }: TestKey,
  variables?: Record<string, unknown>,
): Promise<Received> {
  const received = followEvents(client, variables);
  await eventually(async () => {
    await events.publish(workspaceId, 'probe', 'CONTACT_UPDATED');
    return received.names.length > 0;
  });
  return received;
}
