import {
  wait,
  type Answered,
  type Body,
  type CallOptions,
  type Request,
  type Watch,
} from './request.js';

/** A file to be sent. One that can be read only once, a stream, is never sent again. */
export type FileContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/**
 * A file that is requested when it is read. It throws if it was not received whole: `unreachable` for a connection that was
 * cut, `timeout` for one on which nothing arrived.
 */
export interface Download extends AsyncIterable<Uint8Array> {
  text(): Promise<string>;
}

/**
 * A file that is sent, and what becomes of it: awaited, its state when all of it was handled; iterated, its state after each
 * change.
 */
export interface Upload<T> extends PromiseLike<T>, AsyncIterable<T> {
  /** Its state when all of it was received: from then on it is handled, whatever becomes of this program. */
  accepted: Promise<T>;
}

/** How long a file may transfer nothing: the gateway waits for its services for a minute. */
const idleMs = 90_000;

export function download(
  request: (
    read: (response: Response, watch: Watch) => Promise<Watch>,
    more: Partial<Request>,
  ) => Promise<Answered<Watch>>,
): Download {
  return {
    async *[Symbol.asyncIterator]() {
      const { data: watch, response } = await request(async (_, watch) => watch, {
        timeoutMs: idleMs,
      });
      const reader = response.body!.getReader();
      let bytes = 0;
      try {
        for (;;) {
          watch.start();
          const { value } = await reader.read().catch((error: unknown) => {
            throw watch.errorOf(error, `The download after ${bytes} bytes`);
          });
          watch.pause();
          if (!value) return;
          bytes += value.length;
          yield value;
        }
      } finally {
        watch.cancel();
      }
    },
    async text() {
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of this) text += decoder.decode(bytes, { stream: true });
      return text + decoder.decode();
    },
  };
}

/** What the gateway takes of a file that is previewed. */
const previewBytes = 256 * 1024;

/** The beginning of a file. A stream is read no further. */
export async function beginningOf(file: FileContent): Promise<Blob> {
  const parts: BlobPart[] = [];
  let bytes = 0;
  if (typeof file === 'string' || file instanceof Uint8Array || file instanceof Blob)
    parts.push(file as BlobPart);
  else
    for await (const part of file as AsyncIterable<Uint8Array | string>) {
      parts.push(part as BlobPart);
      bytes += part.length;
      if (bytes >= previewBytes) break;
    }
  return new Blob(parts).slice(0, previewBytes);
}

interface State {
  id: string;
  status: string;
  endedAt: string | null;
}

/**
 * @param request sends the file
 * @param get the present state
 */
export function upload<T extends State>(
  file: FileContent,
  { signal, idempotencyKey, timeoutMs }: CallOptions,
  request: (more: Partial<Request>) => Promise<Answered<T>>,
  get: (id: string, options: CallOptions) => Promise<T>,
): Upload<T> {
  const isStream = !(
    typeof file === 'string' ||
    file instanceof Uint8Array ||
    file instanceof Blob
  );
  const blob = isStream ? undefined : new Blob([file as BlobPart]);
  const body = (watch: Watch): Body => {
    // Not all browsers send streams.
    if (!blob || !('location' in globalThis)) return watched(blob?.stream() ?? file, watch);
    watch.start(blob.size / bytesPerMs);
    return blob;
  };
  const next = async (state: T, waitMs: number): Promise<T> => {
    await wait(waitMs, signal);
    return get(state.id, { signal, timeoutMs });
  };
  const accept = async (): Promise<T> => {
    for (let uploads = 1; ; uploads++) {
      const { data, response } = await request({ body, isStream, timeoutMs: idleMs });
      if (!response.headers.has('idempotency-replayed')) return data;
      // An attempt was cut, and then answered with what became of it. An upload that failed changed nothing.
      let state = data;
      for (; state.status === 'uploading';) state = await next(state, 1000);
      if (state.status !== 'failed' || idempotencyKey !== undefined || uploads > 2) return state;
    }
  };
  const accepted = accept();
  async function* changes(): AsyncGenerator<T, void> {
    let last = '';
    let state = await accepted;
    for (let waitMs = 100; ; waitMs = Math.min(2000, waitMs * 1.5)) {
      const text = JSON.stringify(state);
      if (text !== last) yield state;
      if (state.endedAt !== null) return;
      last = text;
      state = await next(state, waitMs);
    }
  }
  let ended: Promise<T> | undefined;
  const end = async (): Promise<T> => {
    let last = await accepted;
    for await (const state of changes()) last = state;
    return last;
  };
  return {
    accepted,
    [Symbol.asyncIterator]: changes,
    // A caller that awaits only `accepted` causes no further requests.
    // oxlint-disable-next-line unicorn/no-thenable
    then(resolve, reject) {
      ended ??= end();
      return ended.then(resolve, reject);
    },
  };
}

/** The slowest upload that the gateway receives. */
const bytesPerMs = 16;

/** A stream that watches whether the connection takes what it is given. Waiting for the source takes no time. */
function watched(source: unknown, watch: Watch): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const chunks = (source as AsyncIterable<Uint8Array | string>)[Symbol.asyncIterator]();
  // Node does not cancel a stream that it reads.
  watch.signal.addEventListener('abort', () => void chunks.return?.().catch(() => {}));
  return new ReadableStream(
    {
      async pull(stream) {
        watch.pause();
        try {
          const { done, value } = await chunks.next();
          watch.start();
          if (done) stream.close();
          else stream.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        } catch (error) {
          watch.fail(error);
          stream.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
}
