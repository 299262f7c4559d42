import { Fault, type Operation } from '@roster/contracts';
import { randomUUID } from 'node:crypto';
import type { Link } from '../../link.js';
import type { BusObserver } from '../../observer.js';
import { NatsDenial } from '../../trouble.js';
import { steadyNow } from '../../wire.js';
import { batchBytesMax, OperationQueue } from '../batching/operation-queue.js';
import { settle, type CallContext, type PendingCall } from '../batching/pending-call.js';
import { decodeAnswers } from '../frame/answer-frame.js';
import { Contended, malformedKey, timedOut, unanswered, unavailable } from '../frame/faults.js';
import { encodeCall, encodeRequest, isText } from '../frame/request-frame.js';
import { AnswerInbox, type AnswerMessage } from './answer-inbox.js';
import { Batch, BatchesInFlight } from './batches.js';

/** Interval of the checks for passed deadlines. */
const sweepMs = 20;
/** Calls that wait for a lock are sent again for this long. */
const contendedMs = 2000;
/** Bytes reserved in a message for the callers and the JSON syntax around the calls. */
const envelopeBytes = 4096;
/** Reason of calls that fail because NATS denies the subscription to their answers. */
const answersDenied = 'NATS denies the subscription to answers';

/** Sends calls in batches and resolves each with its answer: the client side of request-reply. */
export class CallClient {
  readonly #link: Link;
  readonly #observer: BusObserver;
  /** By operation. */
  readonly #queues = new Map<string, OperationQueue>();
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
   * that shorter restarts go unnoticed. A call that waits for a lock is sent again for as long.
   *
   * @throws Fault the fault that the service answered; `invalid` for an Idempotency-Key that cannot be sent;
   *   `payload_too_large` if the input or the result does not fit into a message; `unavailable` if the operation has no
   *   responders or too many calls wait; `timeout` if no answer arrived before the deadline: a write may have been applied
   */
  call(operation: Operation, input: unknown, context: CallContext): Promise<Uint8Array> {
    const { caller, deadline, idempotencyKey } = context;
    if (idempotencyKey !== undefined && !isText(idempotencyKey))
      return Promise.reject(malformedKey);
    const encoded = encodeCall({ ...context, input });
    const bytes = Buffer.byteLength(encoded);
    if (bytes + envelopeBytes > (this.#link.nats.info?.max_payload ?? batchBytesMax))
      return Promise.reject(new Fault('payload_too_large', 'The request is too large.'));
    if (!this.#link.up) return Promise.reject(unavailable('no connection to NATS'));
    if (this.#inbox.isDenied) return Promise.reject(unavailable(answersDenied));
    const queue = this.#queueOf(operation);
    const queuedAt = performance.now();
    const refusal = queue.refusal(this.#queues.values(), queuedAt);
    if (refusal) return Promise.reject(refusal);
    const outcome = Promise.withResolvers<Uint8Array>();
    const order = this.#nextCall++;
    queue.add({
      ...{ operation, caller, context, encoded, bytes, deadline, queuedAt, order, queue, outcome },
    });
    queue.schedule();
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
    return outcome.promise;
  }

  close(): void {
    for (const release of this.#release) release();
    this.#failAll('the connection was closed');
    if (this.#sweeper) clearInterval(this.#sweeper);
  }

  #queueOf(operation: Operation): OperationQueue {
    let queue = this.#queues.get(operation.name);
    if (!queue) {
      queue = new OperationQueue(operation, (...batch) => this.#send(new Batch(...batch)));
      this.#queues.set(operation.name, queue);
    }
    return queue;
  }

  #send(batch: Batch): void {
    const { queue, calls } = batch;
    const { name, service } = queue.operation;
    this.#inFlight.add(batch);
    this.#observer.batchSent?.(name, calls.length);
    try {
      const reply = this.#inbox.subjectOf(service, batch.id);
      this.#link.nats.publish(name, encodeRequest(calls, this.#clock), { reply });
    } catch (error) {
      this.#finish(batch);
      batch.settle(unavailable(String(error)));
    }
  }

  #finish(batch: Batch): void {
    if (!this.#inFlight.remove(batch)) return;
    batch.queue.finished();
    this.#failDenied(batch.queue.operation.name);
    batch.queue.schedule();
  }

  #receive(batchId: string, { kind, data, replayed }: AnswerMessage): void {
    const batch = this.#inFlight.find(batchId);
    if (!batch) return;
    if (kind === 'undelivered') return this.#returnBatch(batch);
    const { parts, calls, queue, sentAt } = batch;
    if (kind === 'part') return void parts.push(data);
    const answer = parts.length === 0 ? data : Buffer.concat([...parts, data]);
    queue.answered(calls.length, answer.length, sentAt);
    this.#finish(batch);
    for (const index of replayed) calls[index]?.context.onReplayed?.();
    const outcomes = decodeAnswers(answer);
    const now = performance.now();
    for (const [index, call] of calls.entries()) {
      const outcome = outcomes[index] ?? unanswered();
      if (outcome instanceof Contended && now - call.queuedAt < contendedMs) queue.sendAgain(call);
      else settle(call, outcome);
    }
    queue.schedule();
  }

  #returnBatch(batch: Batch): void {
    const { queue, calls } = batch;
    const { name } = queue.operation;
    const now = performance.now();
    const unserved = unavailable(`no process serves ${name}`);
    for (const call of calls) if (call.context.triesOnce) settle(call, unserved);
    if (queue.putBack(calls, now)) {
      queue.makeRoom(this.#queues.values(), now);
      this.#observer.batchReturned?.(name, calls.length);
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
    for (const batch of this.#inFlight.denied(operation)) {
      this.#finish(batch);
      batch.settle(unavailable(new NatsDenial('publish', operation).message));
    }
  }

  /** No more answers arrive: calls in flight have an unknown outcome, queued calls were not sent. */
  #failAll(reason: string): void {
    const lost = unavailable(reason);
    this.#inFlight.forgetDenials();
    for (const batch of this.#inFlight.items()) {
      const { operation } = batch.queue;
      this.#finish(batch);
      batch.settle(operation.access === 'read' ? lost : timedOut(operation));
    }
    for (const queue of this.#queues.values()) queue.clear(lost);
  }

  #sweep(): void {
    const now = steadyNow();
    for (const batch of this.#inFlight.items()) if (!batch.expire(now)) this.#finish(batch);
    const onDropped = ({ operation }: PendingCall) => this.#observer.callDropped?.(operation.name);
    let waiting = 0;
    for (const queue of this.#queues.values()) {
      queue.expire(now, onDropped);
      waiting += queue.open + queue.length;
    }
    if (waiting === 0 && this.#sweeper) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
  }
}
