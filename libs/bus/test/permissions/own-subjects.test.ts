import {
  broadcasts,
  callersOf,
  eventConsumer,
  operations,
  operationsOf,
  programNames,
  scopes,
  serviceNames,
  workspaceBroadcasts,
  type Broadcasts,
  type Operation,
  type OperationName,
  type ProgramName,
  type WorkspaceBroadcasts,
} from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { connectBus, consumeEvents, Json, NatsTrouble, type Handler } from '../../index.js';
import { outcomeOf, silent, within } from '../running-bus.js';
import { connectProgram, guardedNats, type GuardedNats, type Program } from './guarded-nats.js';

const stream = { replicas: 1, maxAgeSeconds: 3600 };
const workspaceId = 'wksp_01h455vb4pex5vsknk084sn02q';
const eventId = 'evt_01h455vb4pex5vsknk084sn02q';

async function connectAll(t: ExecutionContext, guarded: GuardedNats) {
  const entries = programNames.map(
    async (name) => [name, await connectProgram(t, guarded, name)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Record<ProgramName, Program>;
}

const noneDenied = (t: ExecutionContext, programs: Record<ProgramName, Program>) => {
  for (const name of programNames) t.deepEqual(programs[name].errors, [], name);
};

test('a program with the credential of another one does not connect, and learns whose it is', async (t) => {
  const { nats, keys } = await guardedNats(t);
  const logged: string[] = [];
  const log = { ...silent, error: (_: object, message: string) => void logged.push(message) };
  const credentials = { nkeySeed: keys.contacts.seed };
  const error = await t.throwsAsync(
    connectBus({ servers: nats.url, name: 'gateway', credentials, log }),
    { instanceOf: NatsTrouble },
  );
  t.like(error, {
    variable: 'NATS_NKEY_SEED',
    passing: false,
    message: `NATS at ${new URL(nats.url).host} denies _INBOX.gateway.> to this credential, which is that of contacts: set the credential of gateway.`,
  });
  t.deepEqual(logged, []);
});

test('every operation is answered to the programs that call it', async (t) => {
  const programs = await connectAll(t, await guardedNats(t));
  const answer: Handler = async (calls) => calls.map(() => new Json('{}'));
  for (const service of serviceNames) {
    const names = Object.keys(operationsOf[service]);
    const handlers = Object.fromEntries(names.map((name) => [name, answer]));
    programs[service].bus.serve(service, handlers);
    await programs[service].bus.link.nats.flush();
  }
  const caller = { workspaceId, userId: '', keyId: '', scopes: [...scopes] };
  const context = within(60_000, { caller });
  for (const operation of Object.values<Operation>(operations)) {
    const name = operation.name as OperationName;
    for (const program of callersOf(operation)) {
      // The service refuses the empty input of most operations.
      const outcome = await outcomeOf(programs[program].bus.call(name, {}, context));
      t.true(['ok', 'invalid', 'not_found'].includes(outcome), `${name}: ${outcome}`);
    }
  }
  noneDenied(t, programs);
});

const ofWorkspace = Object.entries(workspaceBroadcasts) as [
  keyof WorkspaceBroadcasts,
  (typeof workspaceBroadcasts)[keyof WorkspaceBroadcasts],
][];

test('every broadcast reaches the programs that listen to it, and those to a workspace no listeners of another', async (t) => {
  const programs = await connectAll(t, await guardedNats(t));
  const heard: string[] = [];
  for (const [name, { to }] of Object.entries(broadcasts)) {
    for (const listener of to) {
      const { bus } = programs[listener];
      bus.listen(name as keyof Broadcasts, () => void heard.push(`${name} ${listener}`));
      await bus.link.nats.flush();
    }
  }
  for (const [name, { to }] of ofWorkspace) {
    for (const listener of to) {
      const { bus } = programs[listener];
      bus.listenTo(workspaceId, name, () => void heard.push(`${name} ${listener}`));
      await bus.link.nats.flush();
    }
  }
  const expected: string[] = [];
  for (const [name, { from, to }] of ofWorkspace) {
    for (const sender of from) {
      programs[sender].bus.broadcastTo(workspaceId, name, {});
      programs[sender].bus.broadcastTo('wksp_other', name, {});
      expected.push(...to.map((listener) => `${name} ${listener}`));
    }
  }
  for (const [name, { from, to }] of Object.entries(broadcasts)) {
    for (const sender of from) {
      programs[sender].bus.broadcast(name as keyof Broadcasts, {} as never);
      expected.push(...to.map((listener) => `${name} ${listener}`));
    }
  }
  await eventually(() => heard.length >= expected.length);
  t.deepEqual(heard.toSorted(), expected.toSorted());
  noneDenied(t, programs);
});

test('services publish events and read them back, or the end of their stream, dispatchers consume them, and the gateway follows them', async (t) => {
  const programs = await connectAll(t, await guardedNats(t));
  const { contacts, dispatcher, gateway, webhooks } = programs;
  const publisher = await contacts.bus.openEvents(stream);
  const event = { id: eventId, workspaceId, kind: 'CONTACT_CREATED', body: '{}' } as const;
  const sequence = await publisher.publish(event);
  t.is((await publisher.messageAt(sequence))?.id, eventId);
  t.is((await publisher.tail(stream)).last, sequence);
  t.is((await webhooks.bus.streamPosition())?.sequence, sequence);
  const handled: string[] = [];
  const options = { durable: eventConsumer, stream, inFlightMax: 10 };
  const consumer = await consumeEvents(dispatcher.bus.link, silent, options, async ({ id }) => {
    handled.push(id);
  });
  await eventually(() => handled.length === 1);
  await eventually(async () => (await consumer.status()).unacknowledged === 0);
  const followed: string[] = [];
  const follow = (after?: string) =>
    gateway.bus.followEvents({
      workspaceId,
      after,
      onEvent: ({ id }) => void followed.push(id),
      onEnd: () => t.fail('the subscription ended'),
    });
  const stopFirst = await follow();
  const stopSecond = await follow(eventId);
  const next = 'evt_01h455vb4pex5vsknk084sn02r';
  await publisher.publish({ ...event, id: next });
  await eventually(() => followed.length === 2);
  t.deepEqual(followed, [next, next]);
  stopFirst();
  stopSecond();
  await gateway.bus.link.nats.flush();
  await consumer.stop();
  noneDenied(t, programs);
});
