import { programNames, type ProgramName } from '@roster/contracts';
import { eventually, type ThrowawayNats } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import {
  connectBus,
  makeKeyPair,
  serverUsers,
  type Bus,
  type KeyPair,
  type PublicKeys,
} from '../../index.js';
import { natsFor, silent } from '../running-bus.js';

export interface GuardedNats {
  nats: ThrowawayNats;
  keys: Record<ProgramName, KeyPair>;
}

/** A NATS server with the generated users, each with a new key. */
export async function guardedNats(t: ExecutionContext): Promise<GuardedNats> {
  const nats = await natsFor(t);
  const pairs = programNames.map((program) => [program, makeKeyPair()] as const);
  const publicKeys = pairs.map(([program, { publicKey }]) => [program, [publicKey]]);
  await nats.allowOnly(...serverUsers(Object.fromEntries(publicKeys) as PublicKeys));
  return { nats, keys: Object.fromEntries(pairs) as Record<ProgramName, KeyPair> };
}

export interface Program {
  bus: Bus;
  /** Messages of the errors that were logged. */
  errors: string[];
}

/** Connects a program with its own key. */
export async function connectProgram(
  t: ExecutionContext,
  { nats, keys }: GuardedNats,
  name: ProgramName,
): Promise<Program> {
  const errors: string[] = [];
  const error = (fields: object) => void errors.push((fields as { err: Error }).err.message);
  const options = {
    servers: nats.url,
    name,
    credentials: { nkeySeed: keys[name].seed },
    log: { ...silent, error },
  };
  // On a loaded machine, an attempt may time out.
  const bus = await eventually(() => connectBus(options));
  t.teardown(() => bus.close());
  return { bus, errors };
}

/** A plain client with the key of a program, as an attacker who has stolen it would use. */
export async function connectThief(
  t: ExecutionContext,
  { nats, keys }: GuardedNats,
  name: ProgramName,
  inboxPrefix = `_INBOX.${name}`,
): Promise<NatsConnection> {
  const client = await connect({
    servers: nats.url,
    authenticator: nkeyAuthenticator(Buffer.from(keys[name].seed)),
    inboxPrefix,
  });
  t.teardown(() => client.close());
  return client;
}

/** The types of the client lack the queue. */
interface Denial {
  operation: string;
  subject: string;
  queue?: string;
}

/** The subjects that NATS denies to the client, of those tried. */
export async function deniedOf(
  client: NatsConnection,
  tried: { publish?: readonly string[]; subscribe?: readonly string[] },
): Promise<{ publish: Set<string>; subscribe: Set<string> }> {
  const denied = { publish: new Set<string>(), subscribe: new Set<string>() };
  const watching = (async () => {
    for await (const { permissionContext } of client.status()) {
      if (!permissionContext) continue;
      const { operation, subject, queue } = permissionContext as Denial;
      if (subject === last) return;
      denied[operation === 'publish' ? 'publish' : 'subscribe'].add(
        queue ? `${subject} ${queue}` : subject,
      );
    }
  })();
  for (const subject of tried.publish ?? []) client.publish(subject);
  for (const subject of tried.subscribe ?? []) {
    const [name = '', queue] = subject.split(' ');
    client.subscribe(name, { ...(queue && { queue }), callback: () => {} });
  }
  client.publish(last);
  await watching;
  return denied;
}

/** Denied to all. NATS answers in the order of the requests. */
const last = 'denied.to.all';
