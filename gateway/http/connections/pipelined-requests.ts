import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Maximum number of requests of one connection that wait for their turn. */
const perConnectionMax = 64;
/** Maximum number of waiting requests of all connections. */
const waitingMax = 4_096;

/**
 * Requests that arrived before the response to the preceding request of their connection was read. They are answered one after
 * another: answered at once, all responses of a client that does not read would stay in memory. Node parses all requests that arrived
 * in one read, so that several may wait. No more is read from their connection meanwhile.
 */
export class PipelinedRequests {
  readonly #waiting = new Map<Duplex, ServerResponse[]>();
  readonly #onRefused: () => void;
  #total = 0;

  /** @param onRefused called when a connection is destroyed because too many requests wait */
  constructor(onRefused: () => void) {
    this.#onRefused = onRefused;
  }

  /** Number of waiting requests. */
  get count(): number {
    return this.#total;
  }

  /** Those of a connection, in the order of their turns. */
  of(socket: Duplex): readonly ServerResponse[] {
    return this.#waiting.get(socket) ?? [];
  }

  /** Calls `answer` when it is the turn of a response without a socket. Destroys the connection if too many requests wait. */
  wait(response: ServerResponse, answer: () => void): void {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const waiting = this.#waiting.get(socket) ?? this.#open(socket);
    if (waiting.length >= perConnectionMax || this.#total >= waitingMax) {
      socket.destroy();
      this.#forget(socket);
      return this.#onRefused();
    }
    waiting.push(response);
    this.#total += 1;
    socket.pause();
    // Node assigns the socket once the kernel has taken the whole preceding response, and then flushes the response.
    response.once('socket', () => {
      waiting.shift();
      this.#total -= 1;
      if (waiting.length === 0) socket.resume();
      queueMicrotask(answer);
    });
  }

  #open(socket: Socket): ServerResponse[] {
    const waiting: ServerResponse[] = [];
    this.#waiting.set(socket, waiting);
    socket.once('close', () => this.#forget(socket));
    return waiting;
  }

  #forget(socket: Socket): void {
    this.#total -= this.of(socket).length;
    this.#waiting.delete(socket);
  }
}
