import type { ServerResponse } from 'node:http';
import type { UnreadResponses } from '../../http/connections/unread-responses.js';
import { writePart } from '../../http/response/send.js';

export interface WriteOptions {
  flow: FlowControl;
  /** Ends the connection of a client that does not read a chunk in time. */
  responses: UnreadResponses;
  workspaceId: string;
  /** Takes bytes of the memory for unread results. Returns false if they are not free. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Called once, when there is no memory for a result, which is dropped. The stream must end with its next result. */
  onExceeded(): void;
}

/**
 * Writes the chunks of an event stream one at a time. Each result counts as unread until the kernel has taken it, and each chunk
 * must be read in the same time as a response.
 */
export async function writeEventStream(
  stream: AsyncGenerator<string, void>,
  response: ServerResponse,
  { flow, responses, workspaceId, take, give, onExceeded }: WriteOptions,
): Promise<void> {
  let unreadBytes = 0;
  let exceeded = false;
  const giveBack = () => {
    give(unreadBytes);
    unreadBytes = 0;
  };
  response.once('close', () => {
    giveBack();
    void stream.return();
  });
  try {
    if (flow.beginning !== undefined)
      await writePart(response, flow.beginning, responses, workspaceId, 0);
    for await (const text of stream) {
      if (!response.writable) break;
      const chunk = isResult(text) ? flow.withId(text) : text;
      const bytes = isResult(text) && !exceeded ? Buffer.byteLength(chunk) : 0;
      if (take(bytes)) {
        unreadBytes = bytes;
        await writePart(response, chunk, responses, workspaceId, 0);
        giveBack();
      } else {
        exceeded = true;
        onExceeded();
      }
      if (isResult(text)) flow.wrote();
    }
  } catch {
    // The client has disconnected.
  } finally {
    giveBack();
    // The end must be read in time, too.
    if (!response.closed) response.end(responses.add(response, workspaceId, 0));
  }
}

const isResult = (text: string): boolean => text.startsWith('event: next');

/** Passes results on one at a time, because graphql-sse buffers them without a bound. */
export class FlowControl {
  #passed = 0;
  #written = 0;
  #resume: (() => void) | undefined;
  #eventId: string | undefined;
  #position: string | undefined;

  /** A client that loses its connection before its first event resumes after this position. */
  began(position: string): void {
    this.#position = position;
  }

  /** The first part of the stream. Without data it is no event to clients, but they keep its ID (HTML, 9.2.6). */
  get beginning(): string | undefined {
    return this.#position === undefined ? undefined : `id: ${this.#position}\n\n`;
  }

  /** The next result is that of this event. */
  took(eventId: string): void {
    this.#eventId = eventId;
  }

  /** A result with the ID of its event, which clients send as `Last-Event-ID` when they reconnect. Results without event have none. */
  withId(result: string): string {
    return this.#eventId === undefined ? result : `id: ${this.#eventId}\n${result}`;
  }

  /** Resolves when the next result may be passed on. */
  async ready(): Promise<void> {
    if (this.#written < this.#passed)
      await new Promise<void>((resolve) => (this.#resume = resolve));
    this.#passed += 1;
  }

  /** The last result was written, or dropped. */
  wrote(): void {
    this.#written += 1;
    this.#eventId = undefined;
    this.#resume?.();
  }
}
