import { steadyNow, type Bus } from '@roster/bus';
import {
  Fault,
  hasValidChecksum,
  keyShape,
  sessionLinkShape,
  systemCaller,
  type Caller,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import { hash, randomBytes } from 'node:crypto';
import { InvalidKey, type RequestOrigin } from './key-verification.js';

const knownMax = 10_000;
const userAgentLengthMax = 256;
/** The issuer is asked several times, with seconds for each. */
const issuerMs = 5000;

type SignedIn = OutputOf<Operations['sessions.open']>;
/** What a session is rated and bounded by. */
type Known = Pick<Caller, 'keyId' | 'workspaceId'>;

/** A link or an API key that a session is opened with. */
export interface Credential {
  kind: 'link' | 'key';
  secret: string;
}

/** Calls the operations of sessions, whose requests have no caller. Secrets stay in this process: services get their SHA-256. */
export class SessionClient {
  readonly #bus: Bus;
  readonly #timeoutMs: number;
  /** Sessions that were valid lately, by the SHA-256 of their secrets. */
  readonly #known = new LRUCache<string, Known>({ max: knownMax });

  constructor(bus: Bus, timeoutMs: number) {
    this.#bus = bus;
    this.#timeoutMs = timeoutMs;
  }

  /** Whose session a link opens. @throws InvalidKey; faults of the bus */
  async describe(
    link: string,
    origin: RequestOrigin,
  ): Promise<OutputOf<Operations['session-links.describe']>> {
    const input = { link: digestOf({ kind: 'link', secret: link }) };
    return known(this.#bus.call('session-links.describe', input, this.#context(origin)));
  }

  /** Opens a session. Its secret is known only now. @throws InvalidKey; faults of the bus */
  async open(
    credential: Credential,
    userAgent: string | undefined,
    origin: RequestOrigin,
  ): Promise<{ secret: string; signedIn: SignedIn }> {
    const by = { kind: credential.kind, sha256: digestOf(credential) };
    const secret = `rss_${randomBytes(24).toString('hex')}`;
    const session = sha256Of(secret);
    const input = {
      ...{ by, session },
      ...(userAgent !== undefined && { userAgent: userAgent.slice(0, userAgentLengthMax) }),
    };
    const signedIn = await known(this.#bus.call('sessions.open', input, this.#context(origin)));
    this.#remember(session, signedIn);
    return { secret, signedIn };
  }

  /** Host of the OpenID issuer with which users sign in. Null if there is none. @throws faults of the bus */
  async identityHost(origin: RequestOrigin): Promise<string | null> {
    return (await this.#bus.call('identity-sign-ins.describe', {}, this.#context(origin))).host;
  }

  /** @throws faults of the bus */
  startIdentity(origin: RequestOrigin): Promise<OutputOf<Operations['identity-sign-ins.start']>> {
    return this.#bus.call('identity-sign-ins.start', {}, this.#context(origin));
  }

  /** @throws faults of the bus */
  finishIdentity(
    query: string,
    attempt: string,
    origin: RequestOrigin,
  ): Promise<OutputOf<Operations['identity-sign-ins.finish']>> {
    const context = this.#context(origin, this.#timeoutMs + issuerMs);
    return this.#bus.call('identity-sign-ins.finish', { query, attempt }, context);
  }

  /** A browser token of a session. @throws InvalidKey; faults of the bus */
  async createToken(secret: string, origin: RequestOrigin): Promise<SignedIn> {
    const session = sha256Of(secret);
    const call = this.#bus.call('sessions.create-token', { session }, this.#context(origin));
    const signedIn = await known(call);
    this.#remember(session, signedIn);
    return signedIn;
  }

  /** @throws InvalidKey; faults of the bus */
  async end(secret: string, origin: RequestOrigin): Promise<void> {
    const session = sha256Of(secret);
    this.#known.delete(session);
    await known(this.#bus.call('sessions.end', { session }, this.#context(origin)));
  }

  /** Undefined for a session that was not valid lately. */
  knownSession(secret: string): Known | undefined {
    return this.#known.get(sha256Of(secret));
  }

  #remember(session: string, { session: { id }, workspace }: SignedIn): void {
    this.#known.set(session, { keyId: id, workspaceId: workspace.id });
  }

  #context(
    { requestId, traceparent, tracestate, address }: RequestOrigin,
    timeoutMs = this.#timeoutMs,
  ) {
    const deadline = steadyNow() + timeoutMs;
    const from = address === '' ? {} : { address };
    return { caller: systemCaller, requestId, traceparent, tracestate, deadline, ...from };
  }
}

const sha256Of = (secret: string): string => hash('sha256', secret, 'hex');

/** @throws InvalidKey for a text that is no link or key, without a look-up */
function digestOf({ kind, secret }: Credential): string {
  const isOne =
    kind === 'link'
      ? sessionLinkShape.test(secret)
      : keyShape.test(secret) && hasValidChecksum(secret);
  if (isOne) return sha256Of(secret);
  throw kind === 'link'
    ? new InvalidKey('The link was used or has expired. Request another one.')
    : new InvalidKey();
}

/** Tells what is not known from other faults: it counts as an invalid key does. */
const known = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'unauthenticated')
      throw new InvalidKey(error.message);
    throw error;
  });
