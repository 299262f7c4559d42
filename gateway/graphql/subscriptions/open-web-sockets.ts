import { Fault, type Caller } from '@roster/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';
import { Shares } from '../../http/shares.js';
import { networkShare, subscriptionLimits, workspaceShare } from './subscription-limits.js';

/** Owner of WebSockets without a verified key. */
const unidentified = '';

const refusals = ['rate_limited', 'unavailable', 'unread', 'address_share', 'silent'] as const;
type SocketRefusal = (typeof refusals)[number];

interface SocketShares {
  /** Shares of the total. WebSockets without a verified key share like those of a workspace. */
  byWorkspace: Shares;
  byKey: Shares;
  /** Those without a verified key, by network of the client. */
  byNetwork: Shares;
}

/** Counts the WebSockets of this process, and bounds them for each key and workspace, and until then for each network. */
export class OpenWebSockets {
  readonly #shares: SocketShares;
  readonly #refused: Counter<'reason'>;

  constructor(metrics: Registry, max: number) {
    const byWorkspace = new Shares(max, workspaceShare(max));
    this.#shares = {
      byWorkspace,
      byKey: new Shares(Infinity, subscriptionLimits.webSocketsPerKey),
      byNetwork: new Shares(Infinity, networkShare(max)),
    };
    new Gauge({
      name: 'roster_graphql_web_sockets',
      help: 'Number of open WebSockets.',
      registers: [metrics],
      collect() {
        this.set(byWorkspace.total);
      },
    });
    this.#refused = new Counter({
      name: 'roster_graphql_web_sockets_refused_total',
      help: 'WebSockets refused or closed by the gateway because of a limit, by reason.',
      labelNames: ['reason'],
      registers: [metrics],
    });
    for (const reason of refusals) this.#refused.inc({ reason }, 0);
  }

  /**
   * @param network of the client
   * @returns `rate_limited` if too many of the network have no verified key yet, `unavailable` if too many are open
   */
  open(network: string): OpenWebSocket | 'rate_limited' | 'unavailable' {
    const { byNetwork, byWorkspace } = this.#shares;
    if (!byNetwork.tryTake(network)) {
      this.refused('address_share');
      return 'rate_limited';
    }
    if (byWorkspace.tryTake(unidentified)) return new OpenWebSocket(this.#shares, network);
    byNetwork.give(network);
    this.refused('unavailable');
    return 'unavailable';
  }

  refused(reason: SocketRefusal): void {
    this.#refused.inc({ reason });
  }
}

/** The slot of one WebSocket. */
export class OpenWebSocket {
  readonly #shares: SocketShares;
  /** The client's network, until its key is verified. */
  #network: string | undefined;
  #workspaceId = unidentified;
  #keyId: string | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(shares: SocketShares, network: string) {
    this.#shares = shares;
    this.#network = network;
  }

  get workspaceId(): string {
    return this.#workspaceId;
  }

  /** Calls `onSilent` unless `keySent` is called in time. */
  awaitKey(onSilent: () => void): void {
    this.#deadline = setTimeout(onSilent, subscriptionLimits.silentMs);
  }

  keySent(): void {
    clearTimeout(this.#deadline);
  }

  /**
   * Counts the WebSocket for its key and workspace.
   *
   * @throws Fault `rate_limited` if they have too many
   */
  assign({ keyId, workspaceId }: Caller): void {
    if (this.#closed) return;
    const { byKey, byWorkspace } = this.#shares;
    if (!byKey.tryTake(keyId)) throw tooMany('API key');
    this.#keyId = keyId;
    byWorkspace.give(unidentified);
    if (!byWorkspace.tryTake(workspaceId)) {
      // The slot that was returned is still free.
      byWorkspace.tryTake(unidentified);
      throw tooMany('workspace');
    }
    this.#workspaceId = workspaceId;
    this.#leaveNetwork();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#deadline);
    this.#leaveNetwork();
    this.#shares.byWorkspace.give(this.#workspaceId);
    if (this.#keyId !== undefined) this.#shares.byKey.give(this.#keyId);
  }

  #leaveNetwork(): void {
    if (this.#network !== undefined) this.#shares.byNetwork.give(this.#network);
    this.#network = undefined;
  }
}

const tooMany = (owner: string) =>
  new Fault('rate_limited', `The ${owner} has too many open WebSockets.`);
