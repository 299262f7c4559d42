import { eventKinds, type EventKind } from '@roster/contracts';
import { registerEnumType } from 'type-graphql';

export const EventKindEnum = Object.fromEntries(eventKinds.map((kind) => [kind, kind])) as {
  [Kind in EventKind]: Kind;
};
registerEnumType(EventKindEnum, {
  name: 'EventKind',
  description: 'Kinds of events that a webhook can subscribe to.',
});
