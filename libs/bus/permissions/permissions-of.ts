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
  storedEvents,
  workspaceBroadcasts,
  workspaceSubject,
  type Operation,
  type ProgramName,
  type ServiceName,
  type WorkspaceBroadcasts,
} from '@roster/contracts';
import { answersFrom, inboxesOf, monitoringInboxes } from './inboxes.js';

/** Subjects that a NATS user may publish and subscribe to. Everything else is denied. */
export interface Permissions {
  publish: { allow: string[] };
  /** `subject queue`: only in that queue group. */
  subscribe: { allow: string[] };
}

/** What a program may do in NATS, derived from the contracts: what it calls, serves, broadcasts and publishes. */
export function permissionsOf(program: ProgramName): Permissions {
  return {
    publish: {
      allow: [
        ...called(program),
        ...answers(program),
        ...broadcastsOf(program, 'from'),
        ...published(program),
        ...(streamRequests[program] ?? []),
        ...(program === 'operator' ? ['$SRV.>'] : [`${monitoringInboxes}.>`]),
      ],
    },
    subscribe: {
      allow: [
        ...Object.keys(served(program)).map((name) => `${name} ${program}`),
        ...broadcastsOf(program, 'to'),
        // Follows events.
        ...(program === 'gateway' ? [storedEvents] : []),
        `${inboxesOf(program)}.>`,
        ...(program === 'operator' ? [] : serviceSubjects(program)),
      ],
    },
  };
}

/**
 * The subjects of a service of NATS (ADR-32). Each verb by its name: as `>` is a token, `$SRV.*` would admit `$SRV.>`.
 *
 * @param id of the process, or `*` for all
 */
export const serviceSubjects = (program: string, id = '*'): string[] =>
  ['PING', 'INFO', 'STATS'].flatMap((verb) =>
    ['', `.${program}`, `.${program}.${id}`].map((rest) => `$SRV.${verb}${rest}`),
  );

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

const broadcastsOf = (program: ProgramName, side: 'from' | 'to'): string[] => {
  const ofWorkspaces = Object.entries(workspaceBroadcasts).map(
    ([name, programs]) =>
      [workspaceSubject(name as keyof WorkspaceBroadcasts, '*'), programs] as const,
  );
  return [...Object.entries(broadcasts), ...ofWorkspaces]
    .filter(([, programs]) => programs[side].includes(program))
    .map(([subject]) => subject);
};

const published = (program: ProgramName): string[] =>
  eventKinds.filter((kind) => publisherOf[kind] === program).map((kind) => eventSubject('*', kind));

const describing = `$JS.API.STREAM.INFO.${eventStream}`;
/** Creating the stream, but neither changing nor deleting it or its messages: JetStream creates no stream that exists. */
const opening = [describing, `$JS.API.STREAM.CREATE.${eventStream}`];
const administering = `$JS.API.STREAM.UPDATE.${eventStream}`;
const reading = `$JS.API.STREAM.MSG.GET.${eventStream}`;
const erasing = `$JS.API.STREAM.MSG.DELETE.${eventStream}`;
const consumerRequests = (consumer: string): string[] =>
  ['CREATE', 'INFO', 'MSG.NEXT'].map(
    (verb) => `$JS.API.CONSUMER.${verb}.${eventStream}.${consumer}`,
  );

/**
 * Requests to JetStream. Only the dispatchers have a consumer, and no program can send a direct get: with either, stored messages
 * can be sent to any subject.
 */
const streamRequests: Partial<Record<ProgramName, string[]>> = {
  // Publish events, and compare the stream with the outbox. Contacts also removes the events of contacts that are erased.
  contacts: [...opening, reading, erasing],
  users: [...opening, administering, reading],
  // Also reads the end of the stream.
  webhooks: [...opening, reading],
  // Consumes events, and reads their log.
  dispatcher: [
    ...opening,
    reading,
    ...consumerRequests(eventConsumer),
    `$JS.ACK.${eventStream}.${eventConsumer}.>`,
  ],
  // Follows events.
  gateway: [describing, reading],
};
