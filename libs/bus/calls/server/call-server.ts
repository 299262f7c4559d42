import {
  Fault,
  operationsOf,
  type Operation,
  type OperationTable,
  type ServiceName,
} from '@roster/contracts';
import { traceIdOf, tracer, withSpan } from '@roster/telemetry';
import type { Msg } from 'nats';
import { FailureLog } from '../../failure-log.js';
import type { Link } from '../../link.js';
import type { BusLog, BusObserver } from '../../observer.js';
import { steadyNow } from '../../wire.js';
import type { CallerVerifier } from '../../proof/caller-verifier.js';
import type { LastingSubscription } from '../../subscriptions.js';
import { encodeAnswers, replayedIn } from '../frame/answer-frame.js';
import type { AnswerTo, Call } from '../frame/call.js';
import { unavailable } from '../frame/faults.js';
import type { RecentWorkspaces } from '../../recent-workspaces.js';
import { decodeRequest } from '../frame/request-frame.js';
import { admitCall, provenCaller } from './admit-call.js';
import { BatchSpans } from './batch-spans.js';
import { ClientClocks } from './client-clocks.js';
import { handleBatch } from './handle-batch.js';
import type { Handler } from './handler.js';
import { Lanes, type Arrival, type ServeOptions } from './lanes.js';
import { Reply } from './reply.js';

const deadlinePassed = 'the deadline passed before the call was handled';

interface ServerContext {
  link: Link;
  log: BusLog;
  observer: BusObserver;
  /** Without it, the claims of callers are believed. */
  verifier: CallerVerifier | undefined;
  /** The workspaces of received calls are added to it. */
  callers: Pick<RecentWorkspaces, 'add'>;
}

/** Receives batches from NATS, runs their handlers with bounded concurrency, and answers: the server side of request-reply. */
export class CallServer {
  readonly #link: Link;
  readonly #log: BusLog;
  readonly #observer: BusObserver;
  readonly #verifier: CallerVerifier | undefined;
  readonly #callers: ServerContext['callers'];
  /** Logs calls that fail because of a dependency: possibly thousands per second with the same reason. */
  readonly #failures: FailureLog;
  readonly #handlers: Record<string, Handler>;
  readonly #clocks = new ClientClocks();
  readonly #lockMs: number | undefined;
  readonly #subscriptions: LastingSubscription[];
  readonly #lanes: Lanes;
  #stopped: Promise<void> | undefined;

  constructor(
    service: ServiceName,
    handlers: object,
    { link, log, observer, verifier, callers }: ServerContext,
    options: ServeOptions = {},
  ) {
    this.#link = link;
    this.#log = log;
    this.#observer = observer;
    this.#verifier = verifier;
    this.#callers = callers;
    this.#failures = new FailureLog(log, 'calls failed because a dependency is unavailable');
    this.#lockMs = options.lockMs;
    this.#handlers = handlers as Record<string, Handler>;
    this.#lanes = new Lanes(
      (arrival) => this.#attempt(arrival, () => this.#answer(arrival)),
      (arrival) => void this.#attempt(arrival, () => this.#refuse(arrival, deadlinePassed)),
      options,
    );
    this.#subscriptions = Object.values(operationsOf[service] as OperationTable).map((operation) =>
      link.subscribe(operation.name, {
        queue: service,
        onMessage: (message) => this.#arrive(operation, message),
      }),
    );
  }

  /** Stops receiving batches. Resolves when all received batches are answered. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#finish());
  }

  async #finish(): Promise<void> {
    if (this.#link.up)
      await Promise.all(this.#subscriptions.map((subscription) => subscription.drain()));
    // drain() resolves after the callbacks were called, not after the promises they created.
    await this.#lanes.idle();
    if (this.#link.up) await this.#link.nats.flush();
  }

  /** What it throws for a malformed batch is logged by the subscription, once a minute. */
  #arrive(operation: Operation, message: Msg): void {
    const request = decodeRequest(
      message.data,
      (sentAt, clock) => this.#clocks.aheadMs(clock, sentAt, steadyNow()),
      (claims) => provenCaller(operation, claims, this.#verifier),
    );
    this.#noteCallers(request.calls);
    this.#observer.batchReceived?.(operation.name, request.calls.length);
    const reply = new Reply(this.#link, message);
    const displaced = this.#lanes.take({ operation, request, reply });
    if (displaced) this.#refuse(displaced, 'too many batches are waiting');
  }

  /** Calls of programs and unproven ones have no workspace. */
  #noteCallers(calls: readonly Call[]): void {
    const now = performance.now();
    for (const { caller } of calls)
      if (caller.workspaceId !== '') this.#callers.add(caller.workspaceId, now);
  }

  #refuse({ operation, request, reply }: Arrival, reason: string): void {
    const fault = unavailable(reason);
    this.#observer.callsServed?.(operation.name, 'unavailable', 0, request.calls.length);
    reply.send(encodeAnswers(request.calls.map(() => fault)));
  }

  async #attempt({ operation }: Arrival, work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof Fault) return this.#failures.warn(error, { operation: operation.name });
      // The client ignores a rejected promise of a callback. The caller would wait until its deadline.
      this.#log.error({ operation: operation.name, err: error }, 'failed to answer a batch');
    }
  }

  async #answer({ operation, request, reply }: Arrival): Promise<void> {
    const started = performance.now();
    const { calls } = request;
    const now = steadyNow();
    const admitted = calls.map((call) => this.#admit(operation, call, now));
    const live = admitted.filter((call): call is Call => !(call instanceof Fault));
    const given = (live.length > 0 ? await this.#handle(operation, live) : []).values();
    const answers = admitted.map((call) => (call instanceof Fault ? call : given.next().value!));
    reply.send(encodeAnswers(answers), replayedIn(answers));
    const seconds = (performance.now() - started) / 1000;
    let succeeded = 0;
    for (const answer of answers)
      if (answer instanceof Fault)
        this.#observer.callsServed?.(operation.name, answer.code, seconds, 1);
      else succeeded += 1;
    if (succeeded > 0) this.#observer.callsServed?.(operation.name, 'ok', seconds, succeeded);
  }

  #admit(operation: Operation, call: Call, now: number): Call | Fault {
    if (call.deadline <= now) return unavailable(deadlinePassed);
    const admitted = admitCall(operation, call);
    if (admitted instanceof Fault) this.#logFault(operation, call, admitted);
    return admitted;
  }

  async #handle(operation: Operation, calls: Call[]): Promise<AnswerTo<Operation>[]> {
    const handler = this.#handlers[operation.name]!;
    const spans = tracer && BatchSpans.open(operation, calls);
    const answers = await withSpan(spans?.first, () =>
      handleBatch(operation, calls, handler, this.#lockMs),
    );
    spans?.end(answers);
    for (const [index, answer] of answers.entries())
      if (answer instanceof Fault) this.#logFault(operation, calls[index]!, answer);
    return answers;
  }

  #logFault(operation: Operation, { requestId, traceparent, caller }: Call, fault: Fault): void {
    const { code, reason } = fault;
    const traceId = traceIdOf(traceparent);
    const fields = {
      operation: operation.name,
      requestId,
      traceId,
      workspaceId: caller.workspaceId,
      code,
      reason,
    };
    if (code === 'internal') return this.#log.error(fields, 'operation failed');
    if (code === 'unavailable' || code === 'timeout')
      this.#failures.warn(fault, { operation: operation.name });
    this.#log.debug(fields, fault.message);
  }
}
