import {
  broadcasts,
  callersOf,
  eventKinds,
  eventSubject,
  operations,
  programNames,
  publisherOf,
  serviceNames,
  storedEvents,
  workspaceBroadcasts,
  type Operation,
  type ProgramName,
} from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connect, ErrorCode, nkeyAuthenticator, type NatsError } from 'nats';
import { makeKeyPair } from '../../index.js';
import { connectThief, deniedOf, guardedNats } from './guarded-nats.js';

const workspace = 'wksp_01h455vb4pex5vsknk084sn02q';
const all = Object.values<Operation>(operations);
const broadcastEntries = [
  ...Object.entries(broadcasts),
  ...Object.entries(workspaceBroadcasts).map(
    ([name, programs]) => [`${name}.${workspace}`, programs] as const,
  ),
];

/** Requests to JetStream, and the programs that may send them. No program may delete the stream. */
const streamRequests: Record<string, readonly ProgramName[]> = {
  'STREAM.CREATE.EVENTS': ['contacts', 'users', 'webhooks', 'dispatcher'],
  'STREAM.UPDATE.EVENTS': ['users'],
  'STREAM.INFO.EVENTS': ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'],
  'STREAM.MSG.GET.EVENTS': ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'],
  'DIRECT.GET.EVENTS': [],
  [`DIRECT.GET.EVENTS.${eventSubject(workspace, '*')}`]: [],
  'STREAM.MSG.DELETE.EVENTS': ['contacts'],
  'STREAM.DELETE.EVENTS': [],
  'STREAM.PURGE.EVENTS': [],
  'STREAM.SNAPSHOT.EVENTS': [],
  'STREAM.RESTORE.EVENTS': [],
  'STREAM.LEADER.STEPDOWN.EVENTS': [],
  'STREAM.CREATE.OTHER': [],
  'STREAM.NAMES': [],
  'STREAM.LIST': [],
  INFO: [],
  'CONSUMER.NAMES.EVENTS': [],
  'CONSUMER.LIST.EVENTS': [],
  'CONSUMER.CREATE.EVENTS': [],
  'CONSUMER.CREATE.EVENTS.dispatcher': ['dispatcher'],
  [`CONSUMER.CREATE.EVENTS.dispatcher.${eventSubject(workspace, '*')}`]: [],
  'CONSUMER.DURABLE.CREATE.EVENTS.dispatcher': [],
  'CONSUMER.INFO.EVENTS.dispatcher': ['dispatcher'],
  'CONSUMER.MSG.NEXT.EVENTS.dispatcher': ['dispatcher'],
  'CONSUMER.DELETE.EVENTS.dispatcher': [],
  'CONSUMER.PAUSE.EVENTS.dispatcher': [],
  'CONSUMER.CREATE.EVENTS.own': [],
  'CONSUMER.DURABLE.CREATE.EVENTS.own': [],
  [`CONSUMER.CREATE.EVENTS.own.${eventSubject(workspace, '*')}`]: [],
  'CONSUMER.CREATE.EVENTS.own.>': [],
  'CONSUMER.INFO.EVENTS.own': [],
  'CONSUMER.MSG.NEXT.EVENTS.own': [],
  'CONSUMER.DELETE.EVENTS.own': [],
  'CONSUMER.RESET.EVENTS.dispatcher': [],
  'CONSUMER.UNPIN.EVENTS.dispatcher': [],
  'CONSUMER.LEADER.STEPDOWN.EVENTS.dispatcher': [],
};

/** Only the services that a program calls may answer it, each at subjects of its own. */
const answers = serviceNames.flatMap((service) =>
  programNames.map((caller) => ({
    subject: `_INBOX.${caller}.${service}.abc.1`,
    by: all.some(
      (operation) => operation.service === service && callersOf(operation).includes(caller),
    )
      ? [service]
      : [],
  })),
);

const operator = ['operator'] as const;
const processes = programNames.filter((program) => program !== 'operator');

const publishes: { subject: string; by: readonly ProgramName[] }[] = [
  ...all.map((operation) => ({ subject: operation.name, by: callersOf(operation) })),
  ...broadcastEntries.map(([subject, { from }]) => ({ subject, by: from })),
  ...eventKinds.map((kind) => ({
    subject: eventSubject(workspace, kind),
    by: [publisherOf[kind]],
  })),
  ...Object.entries(streamRequests).map(([subject, by]) => ({ subject: `$JS.API.${subject}`, by })),
  ...answers,
  ...programNames.map((program) => ({ subject: `_INBOX.${program}.abc.1`, by: [] })),
  { subject: '$JS.ACK.EVENTS.dispatcher.1.1.1.1.0', by: ['dispatcher'] },
  ...['$SRV.PING', '$SRV.STATS.contacts'].map((subject) => ({ subject, by: operator })),
  { subject: '_INBOX.operator.srv.abc.1', by: processes },
  ...[
    '_INBOX.abc',
    'events.x.OTHER',
    ...Object.keys(workspaceBroadcasts),
    `stored.${workspace}.CONTACT_CREATED`,
    '$JS.ACK.EVENTS.other.1.1.1.1.0',
    '$SYS.REQ.SERVER.PING',
  ].map((subject) => ({ subject, by: [] })),
];

const subscriptions: { subject: string; by: readonly ProgramName[] }[] = [
  // Only in the queue group of the service: it takes calls in turn with the others, and does not see all of them.
  ...all.flatMap(({ name, service }) => [
    { subject: `${name} ${service}`, by: [service] },
    { subject: name, by: [] },
    { subject: `${name} other`, by: [] },
  ]),
  ...broadcastEntries.map(([subject, { to }]) => ({ subject, by: to })),
  ...programNames.flatMap((program) => [
    { subject: `_INBOX.${program}.>`, by: [program] },
    { subject: `_INBOX.${program}.*.abc.*`, by: [program] },
  ]),
  { subject: storedEvents, by: ['gateway'] },
  { subject: '$SRV.INFO', by: processes },
  ...processes.flatMap((program) => [
    { subject: `$SRV.PING.${program}`, by: [program] },
    { subject: `$SRV.STATS.${program}.abc`, by: [program] },
  ]),
  ...['$SRV.>', '$SRV.*', '$SRV.PING.>'].map((subject) => ({ subject, by: [] })),
  ...['>', '*', '*.*', '_INBOX.>', '_INBOX.*.>', 'events.>', '$JS.>', '$JS.API.>', '$SYS.>'].map(
    (subject) => ({ subject, by: [] }),
  ),
];

for (const program of programNames) {
  test(`${program} may use the subjects of its contracts, and no other`, async (t) => {
    const guarded = await guardedNats(t);
    const client = await connectThief(t, guarded, program);
    const denied = await deniedOf(client, {
      publish: publishes.map(({ subject }) => subject),
      subscribe: subscriptions.map(({ subject }) => subject),
    });
    for (const { subject, by } of publishes)
      t.is(denied.publish.has(subject), !by.includes(program), `publishing to ${subject}`);
    for (const { subject, by } of subscriptions)
      t.is(denied.subscribe.has(subject), !by.includes(program), `subscribing to ${subject}`);
  });
}

test('a client without credentials, or with an unknown key, is rejected', async (t) => {
  const { nats } = await guardedNats(t);
  const stranger = nkeyAuthenticator(Buffer.from(makeKeyPair().seed));
  // An attempt may time out on a loaded machine.
  const timedOut: string = ErrorCode.Timeout;
  for (const authenticator of [() => undefined, stranger]) {
    const outcome = await eventually(() =>
      connect({ servers: nats.url, authenticator }).then(
        () => 'connected',
        ({ code }: NatsError) => code !== timedOut && code,
      ),
    );
    t.is(outcome, ErrorCode.AuthorizationViolation);
  }
});
