import { Fault, type Caller, type Operation } from '@roster/contracts';
import { createInbox, headers, type Msg, type MsgHdrs } from 'nats';
import { decodeAnswers, encodeCall, encodeRequest, type Call } from './frame.js';
import type { Link } from './link.js';
import type { BusObserver } from './observer.js';

/** Header of an answer that continues in the next message: one batch's results may exceed NATS' `max_payload`. */
export const moreHeader = 'Roster-More';

/** What a call carries beside its input. */
export type CallContext = Omit<Call, 'input'>;

/** A burst of reads that finds nothing under way travels together. */
const batchCallsMax = 256;
/**
 * While others are under way, no more than this travel together, and writes never: the service works on some while answers of
 * others are written. In one batch they would be answered, and followed by others, all at once, again and again.
 */
const sharedCallsMax = 64;
export const batchBytesMax = 512 * 1024;
/** Batches of one operation under way at once; while they are out, the next one grows. */
const inFlightMax = 4;
/** Answers that are expected of a batch of reads: more pages at once cost the service more memory than they gain. */
const answerBytesMax = 192 * 1024;
/** A batch waits at most this long for one of them to come back, lest a hung service holds up its healthy twin. */
const holdMs = 50;
/** Calls of one operation without an answer, waiting here or sent, before further ones are refused. */
const openMax = 4096;
/** How often deadlines are looked at. */
const sweepMs = 20;
/** Room for the callers and the punctuation around the calls in a message. */
const envelopeBytes = 4096;

interface PendingCall {
  caller: Caller;
  encoded: string;
  bytes: number;
  deadline: number;
  queuedAt: number;
  lane: Lane;
  /** Null once the call is settled. */
  outcome: PromiseWithResolvers<Uint8Array> | null;
}

interface Batch {
  /** Names the batch in its answers' subject. */
  id: string;
  place: number;
  lane: Lane;
  calls: PendingCall[];
  parts: Uint8Array[];
  triedAgain: boolean;
}

interface Lane {
  operation: Operation;
  queue: PendingCall[];
  /** Calls without an answer, queued or sent. */
  open: number;
  /** Batches sent and not answered. */
  inFlight: number;
  /** Of one call, on the average of the last batches. */
  answerBytes: number;
  scheduled: boolean;
  hold: NodeJS.Timeout | null;
}

/** Sends calls in batches and gives each its answer: the caller's half of request-reply. */
export class BatchCaller {
  readonly #link: Link;
  readonly #observer: BusObserver;
  readonly #lanes = new Map<string, Lane>();
  /** Batches under way, each in its place. Not a Map: the garbage of one with such a turnover is collected late. */
  readonly #batches: (Batch | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  readonly #inbox = createInbox();
  readonly #release: (() => void)[] = [];
  #nextBatch = 0;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(link: Link, observer: BusObserver) {
    this.#link = link;
    this.#observer = observer;
    const subscription = link.nats.subscribe(`${this.#inbox}.*`, {
      callback: (_, message) => this.#receive(message),
    });
    this.#release.push(() => subscription.unsubscribe());
    this.#release.push(link.onChange((up) => up || this.#failAll()));
  }

  /**
   * The result's JSON bytes.
   *
   * @throws Fault what the service refused; `unavailable` when nobody serves the operation or too much waits;
   *   `timeout` when no answer came before the deadline: a write may have happened then
   */
  call(operation: Operation, input: unknown, context: CallContext): Promise<Uint8Array> {
    const encoded = encodeCall({ ...context, input });
    const bytes = Buffer.byteLength(encoded);
    const { nats } = this.#link;
    if (bytes + envelopeBytes > (nats.info?.max_payload ?? batchBytesMax)) {
      return Promise.reject(new Fault('payload_too_large', 'The request is too large.'));
    }
    const lane = this.#lane(operation);
    if (!this.#link.up) return Promise.reject(unavailable('no connection to NATS'));
    if (lane.open >= openMax) return Promise.reject(unavailable('too many calls wait'));
    const outcome = Promise.withResolvers<Uint8Array>();
    lane.open += 1;
    lane.queue.push({
      caller: context.caller,
      encoded,
      bytes,
      deadline: context.deadline,
      queuedAt: performance.now(),
      lane,
      outcome,
    });
    this.#schedule(lane);
    return outcome.promise;
  }

  /** Calls sent and not answered yet. */
  get pending(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) count += lane.open;
    return count;
  }

  close(): void {
    for (const release of this.#release) release();
    this.#failAll();
    if (this.#sweeper) clearInterval(this.#sweeper);
  }

  #lane(operation: Operation): Lane {
    let lane = this.#lanes.get(operation.name);
    if (!lane) {
      lane = {
        operation,
        queue: [],
        open: 0,
        inFlight: 0,
        answerBytes: 0,
        scheduled: false,
        hold: null,
      };
      this.#lanes.set(operation.name, lane);
    }
    return lane;
  }

  #schedule(lane: Lane): void {
    if (lane.scheduled) return;
    lane.scheduled = true;
    // All calls of this turn of the event loop travel together; an idle system sends batches of one without waiting.
    setImmediate(() => this.#flush(lane));
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
  }

  #flush(lane: Lane): void {
    lane.scheduled = false;
    if (lane.hold) clearTimeout(lane.hold);
    lane.hold = null;
    while (lane.queue.length > 0) {
      const waitedMs = performance.now() - lane.queue[0]!.queuedAt;
      if (waitedMs < holdMs && growsOn(lane)) {
        lane.hold = setTimeout(() => this.#flush(lane), holdMs - waitedMs);
        return;
      }
      const calls = takeBatch(lane);
      if (calls.length > 0) this.#send(lane, calls, false);
    }
  }

  #send(lane: Lane, calls: PendingCall[], triedAgain: boolean): void {
    const place = this.#freePlaces.pop() ?? this.#batches.length;
    const id = `${place}-${(this.#nextBatch++).toString(36)}`;
    const batch: Batch = { id, place, lane, calls, parts: [], triedAgain };
    lane.inFlight += 1;
    this.#batches[place] = batch;
    this.#observer.batchSent?.(lane.operation.name, calls.length);
    try {
      this.#link.nats.publish(lane.operation.name, encodeRequest(calls), {
        reply: `${this.#inbox}.${id}`,
      });
    } catch (error) {
      this.#finish(batch);
      settleAll(batch, unavailable(String(error)));
    }
  }

  #finish(batch: Batch): void {
    if (this.#batches[batch.place] !== batch) return;
    this.#batches[batch.place] = undefined;
    this.#freePlaces.push(batch.place);
    batch.lane.inFlight -= 1;
    if (batch.lane.queue.length > 0) this.#schedule(batch.lane);
  }

  #receive(message: Msg): void {
    const id = message.subject.slice(this.#inbox.length + 1);
    const batch = this.#batches[Number.parseInt(id, 10)];
    if (batch?.id !== id) return; // every call of it timed out
    const head = message.headers;
    if (head?.code === 503) return this.#nobodyAnswers(batch);
    batch.parts.push(message.data);
    if (head?.has(moreHeader)) return;
    this.#finish(batch);
    const data = batch.parts.length === 1 ? batch.parts[0]! : Buffer.concat(batch.parts);
    const { lane } = batch;
    lane.answerBytes += (data.length / batch.calls.length - lane.answerBytes) / 4;
    const outcomes = decodeAnswers(data);
    for (const [index, call] of batch.calls.entries()) {
      settle(call, outcomes[index] ?? new Fault('internal', 'The service gave no answer.'));
    }
  }

  #nobodyAnswers(batch: Batch): void {
    this.#finish(batch);
    const { lane, triedAgain } = batch;
    if (lane.operation.access === 'read' && !triedAgain) {
      const calls = batch.calls.filter((call) => call.outcome);
      if (calls.length > 0) this.#send(lane, calls, true);
    } else {
      settleAll(batch, unavailable(`nobody serves ${lane.operation.name}`));
    }
  }

  /** The link broke: what was sent has an unknown outcome, what waits has not happened. */
  #failAll(): void {
    for (const batch of this.#underWay()) {
      this.#finish(batch);
      const { operation } = batch.lane;
      settleAll(
        batch,
        operation.access === 'read' ? unavailable('lost NATS') : timedOut(operation),
      );
    }
    for (const lane of this.#lanes.values()) {
      for (const call of lane.queue.splice(0)) settle(call, unavailable('lost NATS'));
    }
  }

  #underWay(): Batch[] {
    return this.#batches.filter((batch) => batch !== undefined);
  }

  #sweep(): void {
    const now = Date.now();
    let waiting = 0;
    for (const batch of this.#underWay()) {
      let open = 0;
      for (const call of batch.calls) {
        if (call.deadline <= now) settle(call, timedOut(batch.lane.operation));
        if (call.outcome) open += 1;
      }
      if (open === 0) this.#finish(batch);
      waiting += open;
    }
    for (const lane of this.#lanes.values()) {
      for (const call of lane.queue) {
        if (call.deadline <= now) settle(call, unavailable('waited too long to be sent'));
      }
      waiting += lane.queue.length;
    }
    if (waiting === 0 && this.#sweeper) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
  }
}

/**
 * Whether the next batch gains from waiting until one of those under way is back. A few calls would take a place, and a commit,
 * from the many whose answers are about to be back.
 */
function growsOn(lane: Lane): boolean {
  const { queue, inFlight, open } = lane;
  if (inFlight === 0) return false;
  const sent = open - queue.length;
  return inFlight >= inFlightMax || queue.length < Math.min(callsMaxOf(lane), sent) / 2;
}

/** How many calls the next batch may have. */
function callsMaxOf({ operation, inFlight, answerBytes }: Lane): number {
  if (operation.access === 'write') return sharedCallsMax;
  const expected = Math.max(1, Math.floor(answerBytesMax / answerBytes));
  return Math.min(inFlight > 0 ? sharedCallsMax : batchCallsMax, expected);
}

/** Cuts the largest batch off the front of the queue, leaving out calls that gave up waiting. */
function takeBatch(lane: Lane): PendingCall[] {
  const { queue } = lane;
  const callsMax = callsMaxOf(lane);
  let bytes = 0;
  let end = 0;
  while (end < queue.length && end < callsMax) {
    bytes += queue[end]!.bytes;
    if (end > 0 && bytes > batchBytesMax) break;
    end += 1;
  }
  return queue.splice(0, end).filter((call) => call.outcome);
}

function settleAll(batch: Batch, fault: Fault): void {
  for (const call of batch.calls) settle(call, fault);
}

/** A call is answered once: what comes later finds nobody waiting. */
function settle(call: PendingCall, result: Uint8Array | Fault): void {
  const { outcome, lane } = call;
  if (!outcome) return;
  call.outcome = null;
  lane.open -= 1;
  if (result instanceof Fault) outcome.reject(result);
  else outcome.resolve(result);
}

export const unavailable = (reason: string): Fault =>
  new Fault('unavailable', 'The service is not available right now. Try again shortly.', {
    retryAfterSeconds: 1,
    reason,
  });

export const timedOut = ({ name, access }: Operation): Fault =>
  access === 'read'
    ? new Fault('timeout', 'The service did not answer in time.', { reason: name })
    : new Fault(
        'timeout',
        'The service did not answer in time, and the change may have happened. ' +
          'With an Idempotency-Key header it is safe to send the request again.',
        { reason: name },
      );

/** Headers of every part of an answer but the last. */
export const moreHeaders = (): MsgHdrs => {
  const more = headers();
  more.set(moreHeader, '1');
  return more;
};
