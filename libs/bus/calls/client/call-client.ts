import { Fault, type Operation } from '@roster/contracts';
import { randomUUID } from 'node:crypto';
import { NatsDenial } from '../../trouble.js';
import type { Link } from '../../link.js';
import type { BusObserver } from '../../observer.js';
import { steadyNow } from '../../wire.js';
import { decodeAnswers, deferred, Oversize } from '../frame/answer-frame.js';
import { malformedKey, timedOut, unanswered, unavailable } from '../frame/faults.js';
import { isText, encodeCall, encodeRequest } from '../frame/request-frame.js';
import { LargeCalls } from '../batching/large-calls.js';
import { withoutReader } from '../batching/large-handling.js';
import { batchBytesMax } from '../batching/operation-queue.js';
import { settle, type PendingCall } from '../batching/pending-call.js';
import { SenderTable } from '../batching/sender-table.js';
import { AnswerInbox, type AnswerMessage } from './answer-inbox.js';
import { Batch } from './batch.js';
import { BatchesInFlight } from './batches-in-flight.js';
import type { CallContext } from './call-context.js';

/** Interval of the checks for passed deadlines. */
const sweepMs = 20;
/** Bytes reserved in a message for the callers and the JSON syntax around the calls. */
const envelopeBytes = 4096;
/** Reason of calls that fail because NATS denies the subscription to their answers. */
const answersDenied = 'NATS denies the subscription to answers';

/** Sends calls in batches and resolves each with its answer: the client side of request-reply. */
export class CallClient {
  readonly #link: Link;
  readonly #observer: BusObserver;
  readonly #senders = new SenderTable((sender, calls, now) =>
    this.#send(new Batch(sender, calls, now, null)),
  );
  readonly #large = new LargeCalls((call, giveBack, bytes) => {
    const sender = this.#senders.shared(call.operation);
    this.#send(new Batch(sender, [call], performance.now(), giveBack, bytes));
  });
  readonly #inFlight = new BatchesInFlight();
  /** Names its clock to services. Unlike the inbox, it is not seen by other processes with the same credentials. */
  readonly #clock = randomUUID();
  readonly #inbox: AnswerInbox;
  readonly #release: (() => void)[] = [];
  #nextCall = 0;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(link: Link, observer: BusObserver) {
    this.#link = link;
    this.#observer = observer;
    this.#inbox = new AnswerInbox(link, {
      onMessage: (batchId, message) => this.#receive(batchId, message),
      onDenied: () => this.#failAll(answersDenied),
    });
    this.#release.push(() => this.#inbox.close());
    this.#release.push(link.onChange((up) => up || this.#failAll('lost the connection to NATS')));
    this.#release.push(link.onPublishDenied((subject) => this.#deny(subject)));
  }

  /**
   * Resolves with the JSON bytes of the result.
   *
   * A call without responders has not reached any process. It is sent again until the service has been absent for 2 s, so
   * that shorter restarts go unnoticed.
   *
   * @throws Fault the fault that the service answered; `invalid` for an Idempotency-Key that cannot be sent;
   *   `unavailable` if the operation has no responders or too many calls wait; `timeout` if no answer arrived before the deadline: a write may have been applied
   */
  call(operation: Operation, input: unknown, context: CallContext): Promise<Uint8Array> {
    const { idempotencyKey } = context;
    if (idempotencyKey !== undefined && !isText(idempotencyKey))
      return Promise.reject(malformedKey);
    const encoded = encodeCall({ ...context, input });
    const bytes = Buffer.byteLength(encoded);
    if (bytes + envelopeBytes > (this.#link.nats.info?.max_payload ?? batchBytesMax))
      return Promise.reject(new Fault('payload_too_large', 'The request is too large.'));
    if (!this.#link.up) return Promise.reject(unavailable('no connection to NATS'));
    if (this.#inbox.isDenied) return Promise.reject(unavailable(answersDenied));
    const sender = this.#senders.of(operation, context.caller.workspaceId);
    const now = performance.now();
    this.#large.called(context.caller.workspaceId, now);
    const refusal = sender.queue.refusal(this.#senders.queues, now);
    if (refusal) return Promise.reject(refusal);
    const outcome = Promise.withResolvers<Uint8Array>();
    const call: PendingCall = {
      caller: context.caller,
      operation,
      large: context.large ?? withoutReader,
      isAbandoned: context.isAbandoned,
      triesOnce: context.triesOnce,
      onReplayed: context.onReplayed,
      encoded,
      bytes,
      deadline: context.deadline,
      queuedAt: now,
      order: this.#nextCall++,
      queue: sender.queue,
      outcome,
    };
    const expected = this.#large.expected(operation, context.caller.workspaceId);
    if (expected === undefined) {
      sender.queue.add(call);
      sender.schedule();
    } else {
      this.#large.add(call, expected);
    }
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
    return outcome.promise;
  }

  /** Number of calls without an answer. */
  get pending(): number {
    return this.#senders.queues.reduce((count, { open }) => count + open, this.#large.open);
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

  #send(batch: Batch): void {
    const { sender, calls, defers } = batch;
    const { name, service } = sender.queue.operation;
    this.#inFlight.add(batch);
    this.#observer.batchSent?.(name, calls.length);
    try {
      const reply = this.#inbox.subjectOf(service, batch.id);
      this.#link.nats.publish(
        name,
        encodeRequest(calls, defers, this.#clock),
        batch.options(reply),
      );
    } catch (error) {
      this.#finish(batch);
      batch.settle(unavailable(String(error)));
    }
  }

  #finish(batch: Batch): void {
    if (!this.#inFlight.remove(batch)) return;
    const { sender, calls, sentAt, giveBack, isAnswered } = batch;
    if (!giveBack) sender.finished(sentAt);
    else if (!isAnswered) this.#large.failed(calls[0]!, giveBack);
    this.#failDenied(sender.queue.operation.name);
    if (sender.isolated !== undefined) this.#rejoin();
    if (sender.queue.length > 0) sender.schedule();
  }

  #rejoin(): void {
    for (const sender of this.#senders.rejoin(performance.now())) sender.schedule();
  }

  #receive(batchId: string, message: AnswerMessage): void {
    const batch = this.#inFlight.find(batchId);
    if (!batch) return;
    if (message.kind === 'undelivered') return this.#returnBatch(batch);
    if (message.kind === 'broken') {
      batch.settle(unavailable('the result could not be read to its end'));
      return this.#finish(batch);
    }
    batch.add(message.data);
    if (message.kind === 'part') return;
    const { calls, sender, sentAt, giveBack } = batch;
    const data = batch.takeAnswer();
    if (giveBack) this.#large.answered(calls[0]!, data.length, giveBack);
    else sender.queue.answered(calls.length, data.length, sentAt);
    this.#finish(batch);
    for (const index of message.replayed) calls[index]?.onReplayed?.();
    const outcomes = decodeAnswers(data);
    const contended: PendingCall[] = [];
    for (const [index, call] of calls.entries()) {
      const outcome = outcomes[index];
      if (outcome === deferred) contended.push(call);
      else if (outcome instanceof Oversize) this.#large.takeOver(call, outcome.bytes);
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
    const unserved = unavailable(`no process serves ${name}`);
    for (const call of batch.calls) if (call.triesOnce) settle(call, unserved);
    // A call that was sent alone is batched again when the service returns.
    if (batch.giveBack) queue.adopt(batch.calls[0]!);
    if (queue.putBack(batch.calls, now)) {
      queue.makeRoom(this.#senders.queues, now);
      this.#observer.batchReturned?.(name, batch.calls.length);
    } else {
      batch.settle(unserved);
    }
    this.#finish(batch);
  }

  #deny(operation: string): void {
    this.#inFlight.deny(operation);
    this.#failDenied(operation);
  }

  #failDenied(operation: string): void {
    for (const batch of this.#inFlight.takeDenied(operation)) {
      this.#finish(batch);
      batch.settle(unavailable(new NatsDenial('publish', operation).message));
    }
  }

  /** No more answers arrive: calls in flight have an unknown outcome, queued calls were not sent. */
  #failAll(reason: string): void {
    const lost = unavailable(reason);
    this.#inFlight.forgetDenials();
    // Before batches release memory: waiting calls would be sent.
    this.#large.clear(lost);
    for (const batch of this.#inFlight.items()) {
      const { operation } = batch.sender.queue;
      this.#finish(batch);
      batch.settle(operation.access === 'read' ? lost : timedOut(operation));
    }
    for (const queue of this.#senders.queues) queue.clear(lost);
  }

  #sweep(): void {
    const now = steadyNow();
    for (const batch of this.#inFlight.items()) if (!batch.expire(now)) this.#finish(batch);
    const onDropped = ({ operation }: PendingCall) => this.#observer.callDropped?.(operation.name);
    this.#large.expire(now, onDropped);
    this.#rejoin();
    let waiting = this.isolated + this.#large.open;
    for (const queue of this.#senders.queues) {
      queue.expire(now, onDropped);
      waiting += queue.open + queue.length;
    }
    if (waiting === 0 && this.#sweeper) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
  }
}
