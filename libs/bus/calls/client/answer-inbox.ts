import { ErrorCode, nuid, type Msg } from 'nats';
import type { Link } from '../../link.js';
import { answersFrom } from '../../permissions/inboxes.js';
import type { LastingSubscription } from '../../subscriptions.js';
import { moreHeader, replayedHeader } from '../frame/answer-frame.js';

/** A message about a batch. */
export interface AnswerMessage {
  /** `undelivered`: no process serves the operation. `part`: more messages follow. `end`: the answer is complete. */
  kind: 'undelivered' | 'part' | 'end';
  data: Uint8Array;
  /** Indexes of the calls whose results are stored responses of earlier calls. */
  replayed: readonly number[];
}

export interface InboxOptions {
  onMessage: (batchId: string, message: AnswerMessage) => void;
  /** Called when NATS denies the subscription: answers may be lost from then on. */
  onDenied: () => void;
}

/** The subscription to the answers to the batches of a client. */
export class AnswerInbox {
  /** Distinguishes this client from others of the same program. */
  readonly #id = nuid.next();
  readonly #program: string;
  readonly #subscription: LastingSubscription;

  constructor(link: Link, { onMessage, onDenied }: InboxOptions) {
    this.#program = link.name;
    this.#subscription = link.subscribe(`${answersFrom('*', link.name)}.${this.#id}.*`, {
      onMessage: (message) =>
        onMessage(
          message.subject.slice(message.subject.lastIndexOf('.') + 1),
          answerMessage(message),
        ),
      onDenied,
    });
  }

  get isDenied(): boolean {
    return this.#subscription.isDenied;
  }

  /** The reply subject of a batch. */
  subjectOf(service: string, batchId: string): string {
    return `${answersFrom(service, this.#program)}.${this.#id}.${batchId}`;
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}

/** Status of the reply that NATS sends for a subject without subscribers. */
const noResponders = Number(ErrorCode.NoResponders);

function answerMessage({ headers, data }: Msg): AnswerMessage {
  if (!headers) return { kind: 'end', data, replayed: [] };
  if (headers.code === noResponders) return { kind: 'undelivered', data, replayed: [] };
  const replayed = headers.get(replayedHeader);
  return {
    kind: headers.has(moreHeader) ? 'part' : 'end',
    data,
    replayed: replayed === '' ? [] : replayed.split(',').map(Number),
  };
}
