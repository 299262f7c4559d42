export { Bus, connectBus, type BusOptions } from './bus.js';
export type { CallContext } from './call.js';
export {
  consumeEvents,
  Unusable,
  type ConsumedEvent,
  type EventConsumer,
} from './consume-events.js';
export type { FollowedEvent } from './follow-events.js';
export { Json, type Answer, type Call } from './frame.js';
export type { Link } from './link.js';
export type { BusLog, BusObserver } from './observer.js';
export {
  againHeader,
  type EventMessage,
  type EventPublisher,
  type StreamOptions,
} from './publish-events.js';
export type { Handler, HandlerTable, ServeOptions } from './serve.js';
export { internal, spareNeighbours } from './spare-neighbours.js';
