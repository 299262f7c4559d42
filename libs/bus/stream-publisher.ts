import { createInbox, type Msg, type MsgHdrs } from 'nats';
import { textOf } from './frame.js';
import type { Link } from './link.js';

/** How often it is looked for acknowledgements that are overdue. */
const sweepMs = 100;

interface Sent {
  /** Names the message in its acknowledgement's subject. */
  id: string;
  place: number;
  deadline: number;
  resolve: (sequence: number) => void;
  reject: (error: Error) => void;
}

/**
 * Publishes to streams, with one subscription and one timer for all acknowledgements. The client's `jetstream.publish` makes
 * a request of each message, with a timer and two errors of its own, which costs three times as much.
 */
export class StreamPublisher {
  readonly #link: Link;
  readonly #timeoutMs: number;
  readonly #inbox = createInbox();
  /** What is not acknowledged, each in its place. Not a Map: the garbage of one with such a turnover is collected late. */
  readonly #sent: (Sent | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  #next = 0;
  #listening = false;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(link: Link, timeoutMs: number) {
    this.#link = link;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The sequence the stream holds the message at; of a repetition, the first one's.
   *
   * @param headers names and values, free of line breaks
   * @throws when the stream refuses it, and when NATS is away or does not confirm in time: it may be stored then
   */
  publish(subject: string, body: string, headers: Record<string, string>): Promise<number> {
    // While disconnected the client would buffer without bound.
    if (!this.#link.up) return Promise.reject(new Error('no connection to NATS'));
    this.#listen();
    return new Promise((resolve, reject) => {
      const place = this.#freePlaces.pop() ?? this.#sent.length;
      const id = `${place}-${(this.#next++).toString(36)}`;
      const deadline = performance.now() + this.#timeoutMs;
      const sent = { id, place, deadline, resolve, reject };
      this.#sent[place] = sent;
      try {
        this.#link.nats.publish(subject, Buffer.from(body), {
          reply: `${this.#inbox}.${id}`,
          headers: encoded(headers),
        });
      } catch (error) {
        this.#forget(sent);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #listen(): void {
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
    if (this.#listening) return;
    this.#listening = true;
    this.#link.nats.subscribe(`${this.#inbox}.*`, {
      callback: (_, message) => this.#receive(message),
    });
    this.#link.onChange((up) => up || this.#rejectAll('lost the connection to NATS'));
  }

  #receive(message: Msg): void {
    const id = message.subject.slice(this.#inbox.length + 1);
    const sent = this.#sent[Number.parseInt(id, 10)];
    if (sent?.id !== id) return; // given up before
    this.#forget(sent);
    const answer = sequenceIn(message);
    if (typeof answer === 'number') sent.resolve(answer);
    else sent.reject(answer);
  }

  #forget({ place }: Sent): void {
    this.#sent[place] = undefined;
    this.#freePlaces.push(place);
  }

  #sweep(): void {
    if (this.#freePlaces.length === this.#sent.length) {
      clearInterval(this.#sweeper!);
      this.#sweeper = null;
      return;
    }
    this.#rejectAll('the stream did not confirm in time', performance.now());
  }

  /** Those due before `until`, or all. */
  #rejectAll(reason: string, until = Number.POSITIVE_INFINITY): void {
    for (const sent of this.#sent) {
      if (!sent || sent.deadline > until) continue;
      this.#forget(sent);
      sent.reject(new Error(reason));
    }
  }
}

/** The client only ever asks headers for their bytes; its own class checks and folds every name first, six times slower. */
const encoded = (headers: Record<string, string>): MsgHdrs => {
  let text = 'NATS/1.0\r\n';
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return { encode: () => Buffer.from(`${text}\r\n`) } as unknown as MsgHdrs;
};

/** https://docs.nats.io/reference/reference-protocols/nats_api_reference#publishing-to-streams */
interface PublishAnswer {
  seq?: number;
  error?: { code: number; err_code: number; description: string };
}

function sequenceIn(message: Msg): number | Error {
  if (message.headers?.code === 503) return new Error('no stream takes the subject');
  const { seq, error } = JSON.parse(textOf(message.data)) as PublishAnswer;
  if (error) return new Error(`the stream refused: ${error.description} (${error.err_code})`);
  return seq !== undefined && seq > 0 ? seq : new Error('the stream confirmed no sequence');
}
