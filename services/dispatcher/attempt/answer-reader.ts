import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { AttemptError } from './attempt-error.js';

type Headers = Record<string, string | string[] | undefined>;

/** Maximum size of a response that is read, and of the part that is kept. */
const readBytesMax = 64 * 1024;
const keptCharactersMax = 4096;
const interimMax = 1000;

/** Reads one response from the parser, up to a limit. Data after its end is ignored. */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #resolve: (whole: boolean) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #headers: Headers = {};
  #interim = 0;
  /** Null before the final response. */
  statusCode: number | null = null;
  /** As `performance.now()`; 0 before the first byte. */
  firstByteAt = 0;

  /** @param resolve called at the end, with whether the response is complete and the connection can be used again */
  constructor(resolve: (whole: boolean) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get headers(): Record<string, string> {
    return shownHeaders(this.#headers);
  }

  get retryAfter(): string | null {
    return first(this.#headers['retry-after']);
  }

  /** The beginning of the body. */
  get text(): string {
    if (this.#bytes === 0) return '';
    const raw = Buffer.concat(this.#chunks).subarray(0, readBytesMax);
    return printable(decompress(raw, first(this.#headers['content-encoding'])));
  }

  onRequestStart(): void {}

  /** Also called for 1xx, before the final response. */
  onResponseStart(_: unknown, statusCode: number, headers: Headers): void {
    if (this.firstByteAt === 0) this.firstByteAt = performance.now();
    if (statusCode < 200) {
      this.#interim += 1;
      if (this.#interim > interimMax)
        this.#reject(
          new AttemptError(
            'protocol',
            `The receiver sent more than ${interimMax} responses with status 1xx.`,
          ),
        );
      return;
    }
    this.statusCode = statusCode;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#bytes > readBytesMax) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > readBytesMax) this.#resolve(false);
  }

  onResponseEnd(): void {
    this.#resolve(true);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#reject(error);
  }

  fail(reason: Error): void {
    this.#reject(reason);
  }
}

/** No compression is requested. A compressed response is decompressed up to the same limit. */
function decompress(raw: Buffer, encoding: string | null): Buffer {
  const decode = encoding === null ? undefined : decoders[encoding.trim().toLowerCase()];
  if (!decode) return raw;
  try {
    return decode(raw);
  } catch {
    return Buffer.from('(compressed; could not be decompressed within 64 KiB)');
  }
}

const zlib = { maxOutputLength: readBytesMax, finishFlush: constants.Z_SYNC_FLUSH };
const brotli = { maxOutputLength: readBytesMax, finishFlush: constants.BROTLI_OPERATION_FLUSH };
const decoders: Record<string, (data: Buffer) => Buffer> = {
  gzip: (data) => gunzipSync(data, zlib),
  'x-gzip': (data) => gunzipSync(data, zlib),
  deflate: (data) => inflateSync(data, zlib),
  br: (data) => brotliDecompressSync(data, brotli),
};

/** PostgreSQL stores no NUL. A truncated character becomes U+FFFD. */
const printable = (bytes: Buffer): string =>
  bytes.toString('utf8', 0, keptCharactersMax).replaceAll('\0', '\u2400');

const secretHeaders = new Set([
  'set-cookie',
  'authorization',
  'proxy-authenticate',
  'www-authenticate',
]);
const headersMax = 50;

function shownHeaders(headers: Headers): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers).slice(0, headersMax)) {
    shown[name] = secretHeaders.has(name)
      ? '(redacted)'
      : (first(value) ?? '').slice(0, 1024).replaceAll('\0', '\u2400');
  }
  return shown;
}

const first = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value.join(', ') : value) ?? null;
