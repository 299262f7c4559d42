import { Fault, type Caller } from '@roster/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';
import { Shares } from '../../http/shares.js';
import { subscriptionLimits, workspaceShare } from './subscription-limits.js';

/** Owner of WebSockets without a verified key. */
const unidentified = '';

const refusals = ['rate_limited', 'unavailable', 'unread'] as const;
type SocketRefusal = (typeof refusals)[number];

/** Counts the WebSockets of this process, and bounds them for each key and workspace. */
export class OpenWebSockets {
  readonly #byWorkspace: Shares;
  readonly #byKey = new Shares(Infinity, subscriptionLimits.webSocketsPerKey);
  readonly #refused: Counter<'reason'>;

  constructor(metrics: Registry, max: number) {
    const byWorkspace = new Shares(max, workspaceShare(max));
    this.#byWorkspace = byWorkspace;
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

  /** Undefined if too many are open. */
  open(): OpenWebSocket | undefined {
    if (this.#byWorkspace.tryTake(unidentified))
      return new OpenWebSocket(this.#byWorkspace, this.#byKey);
    this.refused('unavailable');
    return undefined;
  }

  refused(reason: SocketRefusal): void {
    this.#refused.inc({ reason });
  }
}

/** The slot of one WebSocket. */
export class OpenWebSocket {
  readonly #byWorkspace: Shares;
  readonly #byKey: Shares;
  #workspaceId = unidentified;
  #keyId: string | undefined;
  #closed = false;

  constructor(byWorkspace: Shares, byKey: Shares) {
    this.#byWorkspace = byWorkspace;
    this.#byKey = byKey;
  }

  get workspaceId(): string {
    return this.#workspaceId;
  }

  /**
   * Counts the WebSocket for its key and workspace.
   *
   * @throws Fault `rate_limited` if they have too many
   */
  assign({ keyId, workspaceId }: Caller): void {
    if (this.#closed) return;
    if (!this.#byKey.tryTake(keyId)) throw tooMany('API key');
    this.#keyId = keyId;
    this.#byWorkspace.give(unidentified);
    const isWithin = this.#byWorkspace.tryTake(workspaceId);
    if (isWithin) this.#workspaceId = workspaceId;
    // The slot that was returned is still free.
    else this.#byWorkspace.tryTake(unidentified);
    if (!isWithin) throw tooMany('workspace');
  }

  close(): void {
    this.#closed = true;
    this.#byWorkspace.give(this.#workspaceId);
    if (this.#keyId !== undefined) this.#byKey.give(this.#keyId);
  }
}

const tooMany = (owner: string) =>
  new Fault('rate_limited', `The ${owner} has too many open WebSockets.`);
