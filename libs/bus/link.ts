import { ErrorCode, Events, type NatsConnection } from 'nats';
import { variableOf, type NatsCredentials } from './connection/credentials.js';
import { connectToServers } from './connection/connect-to-servers.js';
import { addressOf, parseServers } from './connection/server-list.js';
import type { TlsFiles } from './connection/client-internals.js';
import { NatsDenial, connectTrouble, NatsTrouble, versionTrouble } from './trouble.js';
import { asErrors, FailureLog } from './failure-log.js';
import type { BusLog } from './observer.js';
import { Subscriptions, type LastingSubscription, type SubscribeOptions } from './subscriptions.js';
import { requireOwnInbox } from './permissions/inboxes.js';

/** The connection to NATS and its current state. */
export interface Link {
  readonly nats: NatsConnection;
  /** Name of the program, a token of the subjects of its inboxes. */
  readonly name: string;
  /** False from a disconnect until the reconnect. `publish` of the client would buffer meanwhile: check this first. */
  readonly up: boolean;
  /** Calls the listener at every disconnect and reconnect. Returns a function that removes it. */
  onChange(listener: (up: boolean) => void): () => void;
  /** Subscribes. A denied subscription is retried until NATS allows it. */
  subscribe(subject: string, options: SubscribeOptions): LastingSubscription;
  /** Subjects of the subscriptions that NATS denies at present. */
  readonly deniedSubscriptions: string[];
  /** Calls the listener with the subject of every publish that NATS denies. Returns a function that removes it. */
  onPublishDenied(listener: (subject: string) => void): () => void;
}

export interface LinkOptions {
  /**
   * `nats://host:port` or `tls://host:port`, several separated by commas, each with its own user name and password, or
   * without. `tls://`: no connection without TLS.
   */
  servers: string;
  /** For servers whose URL has no user. */
  credentials?: NatsCredentials;
  tls?: TlsFiles;
  /** Name of the program, a token of the subjects of its inboxes. Shown by the monitoring of NATS. */
  name: string;
  log: BusLog;
}

/**
 * Connects to any of the servers, and reconnects forever: after restarts, and after temporarily rejected credentials.
 *
 * @throws NatsTrouble if no server accepts the connection, the one that does is too old, or the credential is that of another program
 */
export async function openLink({ servers, name, log, ...how }: LinkOptions): Promise<Link> {
  const list = parseServers(servers) ?? [];
  const hasUser = list.some(({ user }) => user !== undefined);
  let nats: NatsConnection | undefined;
  try {
    nats = await connectToServers(list, { name, ...how });
    const trouble = versionTrouble(nats.getServer(), nats.info?.version);
    if (trouble) throw trouble;
    await requireOwnInbox(nats, name, hasUser ? 'NATS_URL' : variableOf(how.credentials));
  } catch (error) {
    await nats?.close();
    if (error instanceof NatsTrouble) throw error;
    throw connectTrouble(list.map(addressOf), error, hasUser);
  }
  return new OpenLink(nats, name, log);
}

/** Errors of connection attempts that a busy server or client causes. The next attempt follows. */
const passing = new Set<unknown>([ErrorCode.AuthenticationTimeout]);

class OpenLink implements Link {
  readonly nats: NatsConnection;
  readonly name: string;
  readonly #log: BusLog;
  /** While reconnecting, the same error may occur several times per second. */
  readonly #errors: FailureLog;
  readonly #passing: FailureLog;
  readonly #subscriptions: Subscriptions;
  readonly #onChange = new Set<(up: boolean) => void>();
  readonly #onPublishDenied = new Set<(subject: string) => void>();
  #up = true;

  constructor(nats: NatsConnection, name: string, log: BusLog) {
    this.nats = nats;
    this.name = name;
    this.#log = log;
    this.#errors = new FailureLog(asErrors(log), 'NATS reported an error');
    this.#passing = new FailureLog(log, 'NATS reported an error; reconnecting');
    this.#subscriptions = new Subscriptions(nats, log);
    void this.#watch();
  }

  get up(): boolean {
    return this.#up && !this.nats.isClosed();
  }

  get deniedSubscriptions(): string[] {
    return this.#subscriptions.denied;
  }

  subscribe(subject: string, options: SubscribeOptions): LastingSubscription {
    return this.#subscriptions.add(subject, options);
  }

  onChange(listener: (up: boolean) => void): () => void {
    this.#onChange.add(listener);
    return () => this.#onChange.delete(listener);
  }

  onPublishDenied(listener: (subject: string) => void): () => void {
    this.#onPublishDenied.add(listener);
    return () => this.#onPublishDenied.delete(listener);
  }

  async #watch(): Promise<void> {
    for await (const { type, data, permissionContext } of this.nats.status()) {
      if (type === Events.Disconnect) this.#change(false);
      else if (type === Events.Reconnect) this.#change(true);
      else if (type === Events.Error && permissionContext) this.#deny(permissionContext);
      else if (type === Events.Error)
        (passing.has(data) ? this.#passing : this.#errors).warn(new Error(JSON.stringify(data)));
    }
    this.#change(false);
  }

  #change(up: boolean): void {
    if (this.#up === up) return;
    this.#up = up;
    const message = up ? 'reconnected to NATS' : 'disconnected from NATS';
    this.#log.warn({ server: this.nats.getServer() }, message);
    for (const listener of this.#onChange) listener(up);
  }

  #deny({ operation, subject }: { operation: string; subject: string }): void {
    const isPublish = operation === 'publish';
    this.#errors.warn(new NatsDenial(isPublish ? 'publish' : 'subscription', subject));
    if (!isPublish) return this.#subscriptions.deny(subject);
    for (const listener of this.#onPublishDenied) listener(subject);
  }
}
