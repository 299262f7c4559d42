import {
  broadcasts,
  callersOf,
  eventConsumer,
  eventKinds,
  eventStream,
  eventSubject,
  operations,
  operationsOf,
  publisherOf,
  serviceNames,
  type Operation,
  type ProgramName,
  type ServiceName,
} from '@roster/contracts';
import { answersFrom, inboxesOf } from './inboxes.js';

/** Subjects that a NATS user may publish and subscribe to. Everything else is denied. */
export interface Permissions {
  publish: { allow: string[]; deny?: string[] };
  /** `subject queue`: only in that queue group. */
  subscribe: { allow: string[] };
}

/** What a program may do in NATS, derived from the contracts: what it calls, serves, broadcasts and publishes. */
export function permissionsOf(program: ProgramName): Permissions {
  const stream = streamRequests[program];
  return {
    publish: {
      allow: [
        ...called(program),
        ...answers(program),
        ...broadcastsOf(program, 'from'),
        ...published(program),
        ...(stream?.allow ?? []),
      ],
      ...(stream?.deny ? { deny: stream.deny } : {}),
    },
    subscribe: {
      allow: [
        ...Object.keys(served(program)).map((name) => `${name} ${program}`),
        ...broadcastsOf(program, 'to'),
        `${inboxesOf(program)}.>`,
      ],
    },
  };
}

const called = (program: ProgramName): string[] =>
  Object.values<Operation>(operations)
    .filter((operation) => callersOf(operation).includes(program))
    .map(({ name }) => name);

const isService = (program: ProgramName): program is ServiceName =>
  serviceNames.some((name) => name === program);

const served = (program: ProgramName): Record<string, Operation> =>
  isService(program) ? operationsOf[program] : {};

/** Where a service answers: in the inboxes of the programs that call it, at subjects of its own. */
const answers = (program: ProgramName): string[] => {
  const callers = new Set(Object.values(served(program)).flatMap(callersOf));
  return [...callers].map((caller) => `${answersFrom(program, caller)}.>`);
};

const broadcastsOf = (program: ProgramName, side: 'from' | 'to'): string[] =>
  Object.entries(broadcasts)
    .filter(([, programs]) => programs[side].includes(program))
    .map(([name]) => name);

const published = (program: ProgramName): string[] =>
  eventKinds.filter((kind) => publisherOf[kind] === program).map((kind) => eventSubject('*', kind));

const describing = `$JS.API.STREAM.INFO.${eventStream}`;
/** Creating the stream, but neither changing nor deleting it or its messages: JetStream creates no stream that exists. */
const opening = [describing, `$JS.API.STREAM.CREATE.${eventStream}`];
const administering = `$JS.API.STREAM.UPDATE.${eventStream}`;
const reading = [`$JS.API.STREAM.MSG.GET.${eventStream}`];
const consumerRequests = (consumer: string): string[] =>
  ['CREATE', 'INFO', 'MSG.NEXT'].map(
    (verb) => `$JS.API.CONSUMER.${verb}.${eventStream}.${consumer}`,
  );

/** Consumers of readers, whose names are random and which see the events of one filter. */
const readerRequests = [
  `$JS.API.CONSUMER.CREATE.${eventStream}.*.${eventSubject('*', '*')}`,
  ...['INFO', 'MSG.NEXT', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${eventStream}.*`),
];

/** Requests that delete or filter the consumer of the dispatchers, denied to all programs. */
const changingConsumer = [
  `$JS.API.CONSUMER.DELETE.${eventStream}.${eventConsumer}`,
  `$JS.API.CONSUMER.CREATE.${eventStream}.${eventConsumer}.>`,
];

/** Requests to JetStream. */
const streamRequests: Partial<Record<ProgramName, { allow: string[]; deny?: string[] }>> = {
  // Publish events, and compare the stream with the outbox.
  contacts: { allow: [...opening, ...reading] },
  users: { allow: [...opening, administering, ...reading] },
  // Reads the end of the stream.
  webhooks: { allow: [describing] },
  dispatcher: {
    allow: [
      ...opening,
      ...consumerRequests(eventConsumer),
      // Reads the log of events.
      ...readerRequests,
      `$JS.ACK.${eventStream}.${eventConsumer}.>`,
    ],
    deny: changingConsumer,
  },
  // Follows events with consumers of its own.
  gateway: {
    allow: [describing, ...reading, ...readerRequests],
    // The consumer of the dispatchers: events taken from it would not be delivered.
    deny: [...consumerRequests(eventConsumer), ...changingConsumer],
  },
};
