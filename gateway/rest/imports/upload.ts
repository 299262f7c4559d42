import { Fault, type Operation, operations } from '@roster/contracts';
import { steadyNow } from '@roster/bus';
import { BodyStalled } from '../../http/body/read-long-body.js';
import { ClientGone, type HttpContext } from '../../http/exchange.js';
import type { RequestContext } from '../../operations/operation-client.js';
import { laterContext, repeatCall } from '../long-requests.js';
import type { RestOptions } from '../rest-options.js';
import { storeChunks, type Chunk, type StoredRows } from './store-chunks.js';

/** The calls that store the rows of one uploaded file. */
export class Upload {
  readonly #ctx: HttpContext;
  readonly #create: Operation;
  readonly #options: RestOptions;
  /** The context of the last call: a key that was revoked since can still end its upload. */
  #lastContext: RequestContext | undefined;

  constructor(ctx: HttpContext, create: Operation, options: RestOptions) {
    this.#ctx = ctx;
    this.#create = create;
    this.#options = options;
  }

  /**
   * Creates an import with these rows. Returns it, as JSON.
   *
   * @param chunks the first is read before the import is created, so that a file that cannot be read leaves none behind
   */
  async store(
    input: object,
    chunks: AsyncGenerator<Chunk>,
    context: RequestContext,
  ): Promise<Uint8Array> {
    try {
      return await this.#store(input, chunks, context);
    } finally {
      // The rest of the body is then received without being read.
      await chunks.return(undefined);
    }
  }

  async #store(
    input: object,
    chunks: AsyncGenerator<Chunk>,
    context: RequestContext,
  ): Promise<Uint8Array> {
    const first = await chunks.next();
    const { importId, isReplayed } = await this.#begin(input, context);
    if (isReplayed) {
      // Clients read no response before they have sent the file.
      for await (const _ of chunks);
      return this.#call(operations['imports.get'], { importId });
    }
    const append = (ordinal: number, chunk: Chunk) =>
      this.#call(operations['imports.append'], { importId, ordinal, ...chunk });
    try {
      const stored = await storeChunks(from(first, chunks), append);
      return await this.#call(operations['imports.finish'], { importId, ...stored });
    } catch (error) {
      await this.#fail(importId, error);
      throw error;
    }
  }

  async #begin(
    input: object,
    context: RequestContext,
  ): Promise<{ importId: string; isReplayed: boolean }> {
    let isReplayed = false;
    this.#lastContext = await laterContext(this.#ctx, this.#options);
    const result = await this.#options.client.callRaw(this.#create, input, [], {
      ...context,
      ...this.#lastContext,
      onReplayed: () => {
        isReplayed = true;
        context.onReplayed?.();
      },
    });
    const created = JSON.parse(Buffer.from(result).toString()) as { import: { id: string } };
    return { importId: created.import.id, isReplayed };
  }

  /** All of these calls are safe to repeat. */
  #call(operation: Operation, input: object): Promise<Uint8Array> {
    return repeatCall(async () => {
      this.#lastContext = await laterContext(this.#ctx, this.#options);
      return this.#options.client.callRaw(operation, input, [], this.#lastContext);
    });
  }

  /** If it is not told, the service ends the import later. */
  async #fail(importId: string, error: unknown): Promise<void> {
    const { client, log, timeoutMs } = this.#options;
    if (!this.#lastContext) return;
    const context = { ...this.#lastContext, deadline: steadyNow() + timeoutMs };
    const nothing: StoredRows = { chunks: 0, total: 0 };
    const input = { importId, ...nothing, failure: reasonOf(error) };
    await client
      .callRaw(operations['imports.finish'], input, [], context)
      .catch((err: unknown) => log.warn({ err, importId }, 'could not end a failed import'));
  }
}

async function* from(
  first: IteratorResult<Chunk>,
  rest: AsyncIterable<Chunk>,
): AsyncGenerator<Chunk> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** Shown to the client as the reason of the import. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  if (error instanceof BodyStalled) return 'The client stopped sending the file.';
  if (error instanceof ClientGone)
    return 'The connection ended before the whole file was received.';
  return 'An internal error occurred.';
}
