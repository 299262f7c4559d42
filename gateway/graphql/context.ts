import type { Caller } from '@roster/contracts';
import type { Ask } from './ask.js';
import type { EventSource } from './event/event-source.js';

/** What every resolver gets. */
export interface GraphqlContext {
  ask: Ask;
  caller: Caller;
  requestId: string;
  events: EventSource;
}
