/** One HTTP/1.1 response. `body` is empty unless bodies are kept. */
export interface Response {
  status: number;
  body: string;
}

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Parses the bytes of a connection into responses: with Content-Length, chunked, or without a body. It implements
 * only the part of HTTP/1.1 (RFC 9112) that servers with JSON responses use. It takes microseconds per response, a
 * complete client tens of them; that CPU time is not available to the measured system.
 */
export class ResponseReader {
  readonly #onResponse: (response: Response) => void;
  readonly #keepBodies: boolean;
  /** Bytes that could not be parsed yet, copied because the socket reuses its buffer. */
  #rest: Buffer = Buffer.alloc(0);
  #state: 'head' | 'length' | 'chunk size' | 'chunk' | 'trailer' = 'head';
  #status = 0;
  /** Missing bytes of the body, or of the chunk and its line end. */
  #missing = 0;
  #body = '';

  constructor(onResponse: (response: Response) => void, { keepBodies = false } = {}) {
    this.#onResponse = onResponse;
    this.#keepBodies = keepBodies;
  }

  /** @throws if the bytes are not a response */
  read(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (at < all.length) {
      const next = this.#step(all, at);
      if (next === undefined) break;
      at = next;
    }
    this.#rest = at === all.length ? empty : Buffer.from(all.subarray(at));
  }

  /** The offset of the next part; undefined if the current one is incomplete. */
  #step(bytes: Buffer, at: number): number | undefined {
    if (this.#state === 'head') return this.#head(bytes, at);
    if (this.#state === 'chunk size') return this.#chunkSize(bytes, at);
    if (this.#state === 'trailer') return this.#trailer(bytes, at);
    return this.#content(bytes, at);
  }

  #head(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(headEnd, at);
    if (end === -1) return undefined;
    const head = bytes.toString('latin1', at, end);
    if (!head.startsWith('HTTP/1.')) throw new Error(`not a response: ${head.slice(0, 40)}`);
    this.#status = Number(head.slice(9, 12));
    const next = end + headEnd.length;
    if (this.#status < 200) return next;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#missing = Number(length);
      this.#state = 'length';
      if (this.#missing === 0) this.#finish();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#state = 'chunk size';
    } else if (this.#status === 204 || this.#status === 304) {
      this.#finish();
    } else {
      throw new Error('a response without a length');
    }
    return next;
  }

  #content(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#missing);
    if (this.#keepBodies) this.#body += bytes.toString('latin1', at, end);
    this.#missing -= end - at;
    if (this.#missing > 0) return end;
    if (this.#state === 'length') {
      this.#finish();
    } else {
      // Includes the line end of the chunk.
      if (this.#keepBodies) this.#body = this.#body.slice(0, -2);
      this.#state = 'chunk size';
    }
    return end;
  }

  #chunkSize(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (Number.isNaN(size)) throw new Error('a chunk without a size');
    this.#state = size === 0 ? 'trailer' : 'chunk';
    this.#missing = size + 2;
    return end + 2;
  }

  /** Lines up to an empty line. */
  #trailer(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if (end === -1) return undefined;
    if (end === at) this.#finish();
    return end + 2;
  }

  #finish(): void {
    const response = { status: this.#status, body: this.#decoded() };
    this.#state = 'head';
    this.#body = '';
    this.#onResponse(response);
  }

  #decoded(): string {
    return this.#body === '' ? '' : Buffer.from(this.#body, 'latin1').toString('utf8');
  }
}

const empty = Buffer.alloc(0);
