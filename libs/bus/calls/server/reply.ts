import type { Msg } from 'nats';
import type { Link } from '../../link.js';
import { isInbox } from '../../permissions/inboxes.js';
import { headerOf } from '../../wire.js';
import { moreHeader, replayedHeader } from '../frame/answer-frame.js';

const partBytesMax = 512 * 1024;

/** Sends the answer of a batch, in several messages if necessary. */
export class Reply {
  readonly #link: Link;
  readonly #subject: string;

  constructor(link: Link, { reply = '' }: Msg) {
    this.#link = link;
    this.#subject = isInbox(reply) ? reply : '';
  }

  /**
   * Sends nothing after the connection was lost: the client has failed the calls.
   *
   * @param replayed see `replayedHeader`
   */
  send(answer: Buffer, replayed = ''): void {
    const { nats, up } = this.#link;
    if (this.#subject === '' || !up) return;
    const partBytes = Math.min(partBytesMax, nats.info?.max_payload ?? partBytesMax) - 1024;
    let at = 0;
    for (; answer.length - at > partBytes; at += partBytes)
      nats.publish(this.#subject, answer.subarray(at, at + partBytes), {
        headers: headerOf(moreHeader),
      });
    const headers = replayed === '' ? undefined : headerOf(replayedHeader, replayed);
    nats.publish(this.#subject, answer.subarray(at), headers && { headers });
  }
}
