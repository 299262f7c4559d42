import { connect, type Socket } from 'node:net';
import { ResponseReader, type Response } from './response-reader.js';

const readBytes = 64 * 1024;

/** A persistent connection to a server on this machine that carries one request at a time. */
export class Connection {
  readonly #socket: Socket;
  #waiting: ((response: Response | undefined) => void) | undefined;
  #open = true;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(port: number, { keepBodies = false } = {}): Promise<Connection> {
    return new Promise((resolve, reject) => {
      // Reading into a single buffer avoids an allocation and the overhead of streams for each response.
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafeSlow(readBytes),
          callback(count, buffer) {
            reader.read((buffer as Buffer).subarray(0, count));
            return true;
          },
        },
      });
      const connection = new Connection(socket);
      const reader = new ResponseReader((response) => connection.#settle(response), { keepBodies });
      socket.once('connect', () => resolve(connection));
      socket.once('error', reject);
      socket.once('close', () => {
        connection.#open = false;
        connection.#settle(undefined);
      });
    });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** @param onAnswer called with undefined if the server closed the connection */
  send(request: string, onAnswer: (response: Response | undefined) => void): void {
    this.#waiting = onAnswer;
    this.#socket.write(request, 'utf8');
  }

  exchange(request: string): Promise<Response> {
    return new Promise((resolve, reject) =>
      this.send(request, (response) =>
        response ? resolve(response) : reject(new Error('the server closed the connection')),
      ),
    );
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #settle(response: Response | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(response);
  }
}
