import { Fault, type Operation } from '@roster/contracts';
import { createInbox, ErrorCode, headers, type Msg, type MsgHdrs } from 'nats';
import { NatsDenial } from '../denial.js';
import type { Link } from '../link.js';
import type { LastingSubscription } from '../subscriptions.js';
import type { BusObserver } from '../observer.js';
import { SlotTable } from '../slot-table.js';
import { timedOut, unanswered, unavailable } from './faults.js';
import {
  decodeAnswers,
  deferred,
  encodeCall,
  encodeRequest,
  isolatedHeader,
  moreHeader,
  type Call,
} from './frame.js';
import { batchBytesMax, settle, type PendingCall } from './operation-queue.js';
import type { Sender } from './sender.js';
import { SenderTable } from './sender-table.js';

/** Everything that a call carries besides its input. */
export type CallContext = Omit<Call, 'input'>;

/** Interval of the checks for passed deadlines. */
const sweepMs = 20;
/** Bytes reserved in a message for the callers and the JSON syntax around the calls. */
const envelopeBytes = 4096;
/** Status of the reply that NATS sends for a subject without subscribers. */
const noResponders = Number(ErrorCode.NoResponders);

/** Reason of calls that fail because NATS denies the subscription to their answers. */
const answersDenied = 'NATS denies the subscription to answers';

interface Batch {
  /** Part of the reply subject, unique per batch. */
  id: string;
  slot: number;
  sender: Sender;
  calls: PendingCall[];
  parts: Uint8Array[];
  sentAt: number;
}

/** Sends calls in batches and resolves each with its answer: the client side of request-reply. */
export class CallClient {
  readonly #link: Link;
  readonly #observer: BusObserver;
  readonly #senders = new SenderTable((...batch) => this.#send(...batch));
  /** Number of batches in flight that NATS has denied, by operation. */
  readonly #denials = new Map<string, number>();
  readonly #inFlight = new SlotTable<Batch>();
  readonly #inbox = createInbox();
  readonly #answers: LastingSubscription;
  readonly #release: (() => void)[] = [];
  #nextBatch = 0;
  #nextCall = 0;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(link: Link, observer: BusObserver) {
    this.#link = link;
    this.#observer = observer;
    this.#answers = link.subscribe(`${this.#inbox}.*`, {
      onMessage: (message) => this.#receive(message),
      onDenied: () => this.#failAll(answersDenied),
    });
    this.#release.push(() => this.#answers.unsubscribe());
    this.#release.push(link.onChange((up) => up || this.#failAll('lost the connection to NATS')));
    this.#release.push(link.onPublishDenied((subject) => this.#deny(subject)));
  }

  /**
   * Resolves with the JSON bytes of the result.
   *
   * A call without responders has not reached any process. It is sent again until the service has been absent for 2 s, so
   * that shorter restarts go unnoticed.
   *
   * @throws Fault the fault that the service answered; `unavailable` if the operation has no responders or too many calls
   *   wait; `timeout` if no answer arrived before the deadline: a write may have been applied
   */
  call(operation: Operation, input: unknown, context: CallContext): Promise<Uint8Array> {
    const encoded = encodeCall({ ...context, input });
    const bytes = Buffer.byteLength(encoded);
    const { nats } = this.#link;
    if (bytes + envelopeBytes > (nats.info?.max_payload ?? batchBytesMax)) {
      return Promise.reject(new Fault('payload_too_large', 'The request is too large.'));
    }
    if (!this.#link.up) return Promise.reject(unavailable('no connection to NATS'));
    if (this.#answers.isDenied) return Promise.reject(unavailable(answersDenied));
    const sender = this.#senders.of(operation, context.caller.workspaceId);
    const now = performance.now();
    const refusal = sender.queue.refusal(this.#senders.queues, now);
    if (refusal) return Promise.reject(refusal);
    const outcome = Promise.withResolvers<Uint8Array>();
    sender.queue.add({
      caller: context.caller,
      encoded,
      bytes,
      deadline: context.deadline,
      queuedAt: now,
      order: this.#nextCall++,
      queue: sender.queue,
      outcome,
    });
    sender.schedule();
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
    return outcome.promise;
  }

  /** Number of calls without an answer. */
  get pending(): number {
    return this.#senders.queues.reduce((count, { open }) => count + open, 0);
  }

  close(): void {
    for (const release of this.#release) release();
    this.#failAll('the connection was closed');
    if (this.#sweeper) clearInterval(this.#sweeper);
  }

  /** Number of workspaces whose calls of an operation are sent separately, because they wait for locks. */
  get isolated(): number {
    return this.#senders.isolated;
  }

  #send(sender: Sender, calls: PendingCall[], sentAt: number): void {
    const { isolated, queue } = sender;
    const { name } = queue.operation;
    const batch: Batch = { id: '', slot: 0, sender, calls, parts: [], sentAt };
    batch.slot = this.#inFlight.put(batch);
    batch.id = `${batch.slot}-${(this.#nextBatch++).toString(36)}`;
    this.#observer.batchSent?.(name, calls.length);
    try {
      const reply = `${this.#inbox}.${batch.id}`;
      this.#link.nats.publish(
        name,
        encodeRequest(calls, isolated === undefined),
        isolated === undefined ? { reply } : { reply, headers: isolatedHeaders(isolated) },
      );
    } catch (error) {
      this.#finish(batch);
      settleAll(batch, unavailable(String(error)));
    }
  }

  #finish(batch: Batch): void {
    if (this.#inFlight.get(batch.slot) !== batch) return;
    this.#inFlight.free(batch.slot);
    const { sender, sentAt } = batch;
    sender.finished(sentAt);
    if (this.#denials.size > 0) this.#failDenied(sender.queue.operation.name);
    if (sender.isolated !== undefined) this.#rejoin();
    if (sender.queue.length > 0) sender.schedule();
  }

  #rejoin(): void {
    for (const sender of this.#senders.rejoin(performance.now())) sender.schedule();
  }

  #receive(message: Msg): void {
    const id = message.subject.slice(this.#inbox.length + 1);
    const batch = this.#inFlight.get(Number.parseInt(id, 10));
    if (batch?.id !== id) return; // all its calls have timed out
    const head = message.headers;
    if (head?.code === noResponders) return this.#returnBatch(batch);
    batch.parts.push(message.data);
    if (head?.has(moreHeader)) return;
    this.#finish(batch);
    const { calls, parts, sender, sentAt } = batch;
    const data = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    sender.queue.answered(calls.length, data.length, sentAt);
    const outcomes = decodeAnswers(data);
    const contended: PendingCall[] = [];
    for (const [index, call] of calls.entries()) {
      const outcome = outcomes[index];
      if (outcome === deferred) contended.push(call);
      else settle(call, outcome ?? unanswered());
    }
    if (contended.length > 0) this.#isolate(sender.queue.operation, contended);
  }

  /** Sends deferred calls again, separately from those of other workspaces. */
  #isolate(operation: Operation, calls: readonly PendingCall[]): void {
    for (const sender of this.#senders.isolate(operation, calls, performance.now()))
      sender.schedule();
  }

  #returnBatch(batch: Batch): void {
    const { queue } = batch.sender;
    const { name } = queue.operation;
    const now = performance.now();
    if (queue.putBack(batch.calls, now)) {
      queue.makeRoom(this.#senders.queues, now);
      this.#observer.batchReturned?.(name, batch.calls.length);
    } else {
      settleAll(batch, unavailable(`no process serves ${name}`));
    }
    this.#finish(batch);
  }

  /** NATS denied a batch of the operation, so that no process has received it. It does not report which batch that is. */
  #deny(operation: string): void {
    this.#denials.set(operation, (this.#denials.get(operation) ?? 0) + 1);
    this.#failDenied(operation);
  }

  /** Fails the batches in flight once as many are denied: before that, one of them may have been received. */
  #failDenied(operation: string): void {
    const batches = this.#inFlight
      .items()
      .filter(({ sender }) => sender.queue.operation.name === operation);
    const denials = this.#denials.get(operation);
    if (denials === undefined || denials < batches.length) return;
    this.#denials.delete(operation);
    const { message } = new NatsDenial('publish', operation);
    for (const batch of batches) {
      this.#finish(batch);
      settleAll(batch, unavailable(message));
    }
  }

  /** No more answers arrive: calls in flight have an unknown outcome, queued calls were not sent. */
  #failAll(reason: string): void {
    const lost = unavailable(reason);
    this.#denials.clear();
    for (const batch of this.#inFlight.items()) {
      const { operation } = batch.sender.queue;
      this.#finish(batch);
      settleAll(batch, operation.access === 'read' ? lost : timedOut(operation));
    }
    for (const queue of this.#senders.queues) queue.clear(lost);
  }

  #sweep(): void {
    const now = Date.now();
    for (const batch of this.#inFlight.items()) {
      let open = 0;
      for (const call of batch.calls) {
        if (call.deadline <= now) settle(call, timedOut(call.queue.operation));
        if (call.outcome) open += 1;
      }
      if (open === 0) this.#finish(batch);
    }
    this.#rejoin();
    let waiting = this.isolated;
    for (const queue of this.#senders.queues) {
      queue.expire(now);
      waiting += queue.open + queue.length;
    }
    if (waiting === 0 && this.#sweeper) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
  }
}

function isolatedHeaders(workspaceId: string): MsgHdrs {
  const set = headers();
  set.set(isolatedHeader, workspaceId);
  return set;
}

function settleAll(batch: Batch, fault: Fault): void {
  for (const call of batch.calls) settle(call, fault);
}
