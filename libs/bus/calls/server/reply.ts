import type { Msg, MsgHdrs } from 'nats';
import type { Link } from '../../link.js';
import { isInbox } from '../../permissions/inboxes.js';
import { steadyNow, headerOf } from '../../wire.js';
import { brokenHeader, lineOfChunks, moreHeader, replayedHeader } from '../frame/answer-frame.js';
import type { LargeResult } from '../frame/large-result.js';

const partBytesMax = 512 * 1024;
/** For results in chunks: the receiver copies a message repeatedly if it exceeds one read of the socket. */
const streamedPartBytes = 32 * 1024;

/** Sends the answer of a batch, in several messages if necessary. */
export class Reply {
  readonly #link: Link;
  readonly #subject: string;

  constructor(link: Link, { reply = '' }: Msg) {
    this.#link = link;
    this.#subject = isInbox(reply) ? reply : '';
  }

  /** False after the connection was lost: the client has failed the calls. */
  get isAwaited(): boolean {
    return this.#subject !== '' && this.#link.up;
  }

  /** @param replayed see `replayedHeader` */
  send(chunks: readonly Buffer[], replayed = ''): void {
    if (!this.isAwaited) return;
    for (const chunk of chunks.slice(0, -1)) this.#publish(chunk, true);
    const headers = replayed === '' ? undefined : headerOf(replayedHeader, replayed);
    this.#publish(chunks.at(-1)!, false, partBytesMax, headers);
  }

  /**
   * Sends the result of the only call in chunks, each after NATS has received the previous one.
   *
   * @param deadline after which the client ignores the answer
   * @throws the error of reading the result, after telling the client that the result is incomplete
   */
  async stream(result: LargeResult, deadline: number): Promise<void> {
    const { nats } = this.#link;
    // Without a connection, the client would buffer it.
    if (!this.isAwaited) return;
    try {
      this.#publish(lineOfChunks(), true, streamedPartBytes);
      for await (const text of result.read()) {
        if (!this.isAwaited || steadyNow() >= deadline) return;
        this.#publish(Buffer.from(text), true, streamedPartBytes);
        await nats.flush();
      }
      this.#publish(noBytes, false);
    } catch (error) {
      if (this.isAwaited) nats.publish(this.#subject, noBytes, { headers: headerOf(brokenHeader) });
      throw error;
    }
  }

  #publish(chunk: Buffer, more: boolean, bytesMax = partBytesMax, headers?: MsgHdrs): void {
    const { nats } = this.#link;
    const partBytes = Math.min(bytesMax, nats.info?.max_payload ?? bytesMax) - 1024;
    let at = 0;
    for (; chunk.length - at > partBytes; at += partBytes)
      nats.publish(this.#subject, chunk.subarray(at, at + partBytes), {
        headers: headerOf(moreHeader),
      });
    const last = chunk.subarray(at);
    if (more) nats.publish(this.#subject, last, { headers: headerOf(moreHeader) });
    else nats.publish(this.#subject, last, headers && { headers });
  }
}

const noBytes = Buffer.alloc(0);
