import { steadyNow, type Bus } from '@roster/bus';
import {
  exportLinkShape,
  Fault,
  systemCaller,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import type { RequestOrigin } from './key-verification.js';

/** Longer texts are no tokens, and are cut: they are answered as other unknown ones. */
const tokenLengthMax = 200;

/** A page says less rather than wait for a name. */
const nameTimeoutMs = 1000;

type RequestIds = Omit<RequestOrigin, 'address'>;

/** What is known of an unsubscribe link. */
export interface Link {
  status: 'subscribed' | 'unsubscribed';
  /** Name of the workspace of its contact, if it is known. */
  name: string | undefined;
  /** Allows to undo the use of the link. */
  undo?: string | undefined;
}

/** Calls the operations of links that are opened without a key. Their requests have no caller: the secret of the link is their only authority. */
export class LinkClient {
  readonly #bus: Bus;
  readonly #timeoutMs: number;
  /** Names of workspaces. */
  readonly #names = new LRUCache<string, string>({ max: 10_000, ttl: 60_000 });

  constructor(bus: Bus, timeoutMs: number) {
    this.#bus = bus;
    this.#timeoutMs = timeoutMs;
  }

  /** What is known of an unsubscribe link. @throws Fault `not_found`; faults of the bus */
  async get(token: string, ids: RequestIds): Promise<Link> {
    const input = { token: cut(token) };
    return this.#named(
      await this.#bus.call('unsubscribe-links.get', input, this.#context(ids)),
      ids,
    );
  }

  /** Unsubscribes the contact of an unsubscribe link. @throws Fault `not_found`; faults of the bus */
  async use(token: string, ids: RequestIds): Promise<Link> {
    const input = { token: cut(token) };
    return this.#named(
      await this.#bus.call('unsubscribe-links.use', input, this.#context(ids)),
      ids,
    );
  }

  /** Subscribes the contact of a link again. @throws Fault `not_found`, `conflict` if it is too late; faults of the bus */
  async undo(token: string, undo: string, ids: RequestIds): Promise<Link> {
    const input = { token: cut(token), undo: undo.slice(0, undoLengthMax) };
    return this.#named(
      await this.#bus.call('unsubscribe-links.undo', input, this.#context(ids)),
      ids,
    );
  }

  /** Uses up a link that downloads an export. Its secret stays in this process. @throws Fault `not_found`; faults of the bus */
  async useExport(
    secret: string,
    ids: RequestIds,
  ): Promise<OutputOf<Operations['export-links.use']>> {
    const unknown = () => new Fault('not_found', 'The link was used or has expired.');
    if (!exportLinkShape.test(secret)) throw unknown();
    const input = { link: hash('sha256', secret, 'hex') };
    return this.#bus.call('export-links.use', input, this.#context(ids)).catch((error: unknown) => {
      throw error instanceof Fault && error.code === 'unauthenticated' ? unknown() : error;
    });
  }

  async #named(
    { workspaceId, ...answer }: Omit<Link, 'name'> & { workspaceId?: string | undefined },
    ids: RequestIds,
  ): Promise<Link> {
    return { ...answer, name: workspaceId && (await this.#nameOf(workspaceId, ids)) };
  }

  async #nameOf(workspaceId: string, ids: RequestIds): Promise<string | undefined> {
    const known = this.#names.get(workspaceId);
    if (known !== undefined) return known;
    const context = this.#context(ids, Math.min(nameTimeoutMs, this.#timeoutMs));
    const found = await this.#bus
      .call('workspaces.name', { workspaceId }, context)
      .catch(() => undefined);
    const name = found?.name ?? undefined;
    if (name !== undefined) this.#names.set(workspaceId, name);
    return name;
  }

  #context({ requestId, traceparent, tracestate }: RequestIds, timeoutMs = this.#timeoutMs) {
    const deadline = steadyNow() + timeoutMs;
    return { caller: systemCaller, requestId, traceparent, tracestate, deadline };
  }
}

const undoLengthMax = 100;
const cut = (token: string): string => token.slice(0, tokenLengthMax);
