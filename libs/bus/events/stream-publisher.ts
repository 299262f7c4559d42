import { createInbox, ErrorCode, type Msg } from 'nats';
import { textOf } from '../wire.js';
import { NatsDenial } from '../trouble.js';
import type { Link } from '../link.js';
import { inboxesOf } from '../permissions/inboxes.js';
import { SlotTable } from '../slot-table.js';
import { WrittenHeaders } from '../connection/client-internals.js';

/** Interval of the checks for overdue acknowledgements. */
const sweepMs = 100;

interface Sent {
  /** Part of the reply subject, unique per message. */
  id: string;
  slot: number;
  subject: string;
  deadline: number;
  resolve: (sequence: number) => void;
  reject: (error: Error) => void;
}

/**
 * Publishes to streams with one subscription and one timer for all acknowledgements. `jetstream.publish` of the client
 * creates a request, a timer and two errors per message, at three times the cost.
 */
export class StreamPublisher {
  readonly #link: Link;
  readonly #timeoutMs: number;
  readonly #inbox: string;
  /** Messages without acknowledgement. */
  readonly #sent = new SlotTable<Sent>();
  #next = 0;
  #listening = false;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(link: Link, timeoutMs: number) {
    this.#link = link;
    this.#inbox = createInbox(inboxesOf(link.name));
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Resolves with the sequence of the message; for a duplicate, with the sequence of the first one.
   *
   * @param headers names and values without line breaks
   * @throws if the stream rejects the message, and if NATS is unreachable or does not acknowledge in time: it may have been
   *   stored
   */
  publish(subject: string, body: string, headers: Record<string, string>): Promise<number> {
    // While disconnected, the client would buffer without limit.
    if (!this.#link.up) return Promise.reject(new Error('no connection to NATS'));
    this.#listen();
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#timeoutMs;
      const sent: Sent = { id: '', slot: 0, subject, deadline, resolve, reject };
      sent.slot = this.#sent.put(sent);
      sent.id = `${sent.slot}-${(this.#next++).toString(36)}`;
      try {
        this.#link.nats.publish(subject, Buffer.from(body), {
          reply: `${this.#inbox}.${sent.id}`,
          headers: new WrittenHeaders(headers),
        });
      } catch (error) {
        this.#sent.free(sent.slot);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #listen(): void {
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
    if (this.#listening) return;
    this.#listening = true;
    this.#link.subscribe(`${this.#inbox}.*`, { onMessage: (message) => this.#receive(message) });
    this.#link.onChange((up) => up || this.#rejectAll('lost the connection to NATS'));
    this.#link.onPublishDenied((subject) =>
      this.#rejectAll(
        new NatsDenial('publish', subject).message,
        (sent) => sent.subject === subject,
      ),
    );
  }

  #receive(message: Msg): void {
    const id = message.subject.slice(this.#inbox.length + 1);
    const sent = this.#sent.get(Number.parseInt(id, 10));
    if (sent?.id !== id) return; // has timed out
    this.#sent.free(sent.slot);
    const answer = sequenceIn(message);
    if (typeof answer === 'number') sent.resolve(answer);
    else sent.reject(answer);
  }

  #sweep(): void {
    if (this.#sent.isEmpty) {
      clearInterval(this.#sweeper!);
      this.#sweeper = null;
      return;
    }
    const now = performance.now();
    this.#rejectAll('the stream did not acknowledge in time', ({ deadline }) => deadline <= now);
  }

  #rejectAll(reason: string, isMeant: (sent: Sent) => boolean = () => true): void {
    for (const sent of this.#sent.items()) {
      if (!isMeant(sent)) continue;
      this.#sent.free(sent.slot);
      sent.reject(new Error(reason));
    }
  }
}

const noResponders = Number(ErrorCode.NoResponders);

/** https://docs.nats.io/reference/reference-protocols/nats_api_reference#publishing-to-streams */
interface PublishAnswer {
  seq?: number;
  error?: { code: number; err_code: number; description: string };
}

function sequenceIn(message: Msg): number | Error {
  if (message.headers?.code === noResponders) return new Error('no stream captures the subject');
  const { seq, error } = JSON.parse(textOf(message.data)) as PublishAnswer;
  if (error)
    return new Error(`the stream rejected the message: ${error.description} (${error.err_code})`);
  return seq !== undefined && seq > 0
    ? seq
    : new Error('the acknowledgement of the stream has no sequence');
}
