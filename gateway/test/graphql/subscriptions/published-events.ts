import type { EventPublisher } from '@roster/bus';
import { encodeId, eventStream, type EventKind } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import { createdAt, contactId } from '../../stub-results.js';
import type { StubServices } from '../../stub-services.js';

const ids = new IdClock();

/** Publishes events to the stream as services do. */
export class PublishedEvents {
  readonly #publisher: EventPublisher;

  private constructor(publisher: EventPublisher) {
    this.#publisher = publisher;
  }

  static async open({ bus }: StubServices): Promise<PublishedEvents> {
    const options = { replicas: 1, maxAgeSeconds: 3600 };
    const publisher = await eventually(() => bus.openEvents(options));
    // Some tests publish events that are larger than those of services, so that few of them fill a memory.
    const manager = await bus.link.nats.jetstreamManager();
    await eventually(() => manager.streams.update(eventStream, { max_msg_size: -1 }));
    return new PublishedEvents(publisher);
  }

  /**
   * Publishes an event until it is acknowledged. The stream drops duplicates.
   *
   * @returns the event's id
   */
  async publish(
    workspaceId: string,
    name: string,
    kind: EventKind = 'CONTACT_CREATED',
    uuid = ids.next(),
  ): Promise<string> {
    const id = encodeId('event', uuid);
    const contact = { id: contactId, email: 'ada@example.com', name, createdAt };
    const body = JSON.stringify({ event: kind, created_at: createdAt, data: { contact } });
    await eventually(() => this.#publisher.publish({ id, workspaceId, kind, body }));
    return id;
  }
}
