import { steadyNow, type Bus } from '@roster/bus';
import { systemCaller } from '@roster/contracts';
import type { RequestOrigin } from './key-verification.js';

/** Longer texts are no tokens, and are cut: they are answered as other unknown ones. */
const tokenLengthMax = 200;

type RequestIds = Pick<RequestOrigin, 'requestId' | 'traceparent'>;

/** Calls the operations of unsubscribe links, whose requests have no caller: the token is their only authority. */
export class LinkClient {
  readonly #bus: Bus;
  readonly #timeoutMs: number;

  constructor(bus: Bus, timeoutMs: number) {
    this.#bus = bus;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether the contact of a link is unsubscribed. @throws Fault `not_found`; faults of the bus */
  async isUsed(token: string, ids: RequestIds): Promise<boolean> {
    const input = { token: token.slice(0, tokenLengthMax) };
    const { status } = await this.#bus.call('unsubscribe-links.get', input, this.#context(ids));
    return status === 'unsubscribed';
  }

  /** Unsubscribes the contact of a link. @throws Fault `not_found`; faults of the bus */
  async use(token: string, ids: RequestIds): Promise<void> {
    const input = { token: token.slice(0, tokenLengthMax) };
    await this.#bus.call('unsubscribe-links.use', input, this.#context(ids));
  }

  #context({ requestId, traceparent }: RequestIds) {
    const deadline = steadyNow() + this.#timeoutMs;
    return { caller: systemCaller, requestId, traceparent, deadline };
  }
}
