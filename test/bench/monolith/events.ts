import type { EventKind } from '@roster/contracts';

/** An event whose row is committed. */
export interface OutboxEvent {
  id: string;
  workspaceUuid: string;
  kind: EventKind;
  body: string;
}

/** Where committed events go. */
export interface Events {
  publish(event: OutboxEvent): void;
}
