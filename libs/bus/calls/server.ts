import {
  Fault,
  operationsOf,
  type InputOf,
  type Operation,
  type OperationTable,
  type OutputOf,
  type ServiceName,
} from '@roster/contracts';
import { headers, type Msg, type Subscription } from 'nats';
import { timedOut, unavailable } from './faults.js';
import { decodeRequest, encodeAnswers, moreHeader, type Answer, type Call } from './frame.js';
import { faultOf, isolateFailures } from './isolate-failures.js';
import { FailureLog } from '../failure-log.js';
import type { Link } from '../link.js';
import type { BusLog, BusObserver } from '../observer.js';

/**
 * Answers calls of one operation, in the order they came: one answer per call. All or nothing: when it throws, nothing has
 * happened, and the calls are handled one by one. When it throws a Fault, all of them get it, and nothing is repeated.
 */
export interface Handler<O extends Operation = Operation> {
  (calls: Call<InputOf<O>>[]): Promise<Answer<OutputOf<O>>[]>;
  partsOf?: PartsOf<O>;
}

/**
 * Cuts a batch into parts, given as indexes of its calls: each is handled when the one before it is done, and is all or nothing
 * by itself. Undefined: the batch is one part.
 */
export type PartsOf<O extends Operation> = (
  calls: readonly Call<InputOf<O>>[],
) => number[][] | undefined;

/** One handler per operation of the service; a forgotten one does not compile. */
export type HandlerTable<S extends ServiceName> = {
  [Name in keyof (typeof operationsOf)[S]]: (typeof operationsOf)[S][Name] extends Operation
    ? Handler<(typeof operationsOf)[S][Name]>
    : never;
};

export interface ServeOptions {
  /** Batches worked on at once. */
  concurrency?: number;
  /** Batches that may wait behind them; further ones are answered `unavailable` at once. */
  waitingMax?: number;
}

interface Arrival {
  operation: Operation;
  message: Msg;
}

/** Takes batches off NATS, runs their handlers within bounds, and answers: the service's half of request-reply. */
export class CallServer {
  readonly #link: Link;
  readonly #log: BusLog;
  readonly #observer: BusObserver;
  /** Of calls that fail because of a dependency: up to thousands a second, for the same reason. */
  readonly #failures: FailureLog;
  readonly #handlers: Record<string, Handler>;
  readonly #subscriptions: Subscription[];
  readonly #waiting: Arrival[] = [];
  readonly #concurrency: number;
  readonly #waitingMax: number;
  #working = 0;
  #idle: (() => void)[] = [];
  #stopped: Promise<void> | undefined;

  constructor(
    service: ServiceName,
    handlers: object,
    { link, log, observer }: { link: Link; log: BusLog; observer: BusObserver },
    { concurrency = 8, waitingMax = 64 }: ServeOptions = {},
  ) {
    this.#link = link;
    this.#log = log;
    this.#observer = observer;
    this.#failures = new FailureLog(log, 'calls failed because a dependency is unavailable');
    this.#handlers = handlers as Record<string, Handler>;
    this.#concurrency = concurrency;
    this.#waitingMax = waitingMax;
    this.#subscriptions = Object.values(operationsOf[service] as OperationTable).map((operation) =>
      link.nats.subscribe(operation.name, {
        queue: service,
        callback: (_, message) => this.#arrive({ operation, message }),
      }),
    );
  }

  /** Takes no new batches, and returns when those taken are answered. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#finish());
  }

  async #finish(): Promise<void> {
    if (this.#link.up)
      await Promise.all(this.#subscriptions.map((subscription) => subscription.drain()));
    // drain() returns when the callbacks were called, not when the promises they started have ended.
    if (this.#working > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#link.up) await this.#link.nats.flush();
  }

  #arrive(arrival: Arrival): void {
    if (this.#working < this.#concurrency) return void this.#work(arrival);
    if (this.#waiting.length < this.#waitingMax) return void this.#waiting.push(arrival);
    this.#refuse(arrival);
  }

  #refuse({ operation, message }: Arrival): void {
    const fault = unavailable('too many batches are waiting');
    try {
      const calls = decodeRequest(message.data);
      this.#observer.batchReceived?.(operation.name, calls.length);
      for (const _ of calls) this.#observer.callServed?.(operation.name, 'unavailable', 0);
      this.#reply(
        message,
        calls.map(() => fault),
      );
    } catch (error) {
      this.#log.error({ operation: operation.name, err: error }, 'failed to decode a batch');
    }
  }

  async #work(arrival: Arrival): Promise<void> {
    this.#working += 1;
    try {
      await this.#answer(arrival);
    } catch (error) {
      // A rejected callback would be swallowed by the client and leave the caller waiting.
      this.#log.error(
        { operation: arrival.operation.name, err: error },
        'failed to answer a batch',
      );
    }
    this.#working -= 1;
    const next = this.#waiting.shift();
    if (next) void this.#work(next);
    else if (this.#working === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #answer({ operation, message }: Arrival): Promise<void> {
    const started = performance.now();
    const calls = decodeRequest(message.data);
    this.#observer.batchReceived?.(operation.name, calls.length);
    const answers: Answer<unknown>[] = Array.from({ length: calls.length });
    const now = Date.now();
    const live: number[] = [];
    for (const [index, call] of calls.entries()) {
      if (call.deadline > now) live.push(index);
      else answers[index] = timedOut(operation);
    }
    if (live.length > 0) {
      const given = await this.#handle(
        operation,
        live.map((index) => calls[index]!),
      );
      for (const [at, index] of live.entries()) answers[index] = given[at];
    }
    this.#reply(message, answers);
    const seconds = (performance.now() - started) / 1000;
    for (const answer of answers) {
      this.#observer.callServed?.(
        operation.name,
        answer instanceof Fault ? answer.code : 'ok',
        seconds,
      );
    }
  }

  async #handle(operation: Operation, calls: Call[]): Promise<Answer<unknown>[]> {
    const handler = this.#handlers[operation.name]!;
    const parts = handler.partsOf?.(calls);
    const answers =
      parts === undefined || parts.length === 1
        ? await isolateFailures(calls, handler, faultOf)
        : await inParts(calls, parts, handler);
    for (const [index, answer] of answers.entries()) {
      if (answer instanceof Fault) this.#logFault(operation, calls[index]!, answer);
    }
    return answers;
  }

  #logFault(operation: Operation, { requestId, traceparent, caller }: Call, fault: Fault): void {
    const { code, reason } = fault;
    const traceId = traceparent?.slice(3, 35);
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

  #reply(message: Msg, answers: readonly Answer<unknown>[]): void {
    if (!message.reply || !this.#link.up) return; // the callers were told when the link broke
    const data = encodeAnswers(answers);
    const partBytes = Math.min(512 * 1024, this.#link.nats.info?.max_payload ?? 512 * 1024) - 1024;
    let at = 0;
    for (; data.length - at > partBytes; at += partBytes) {
      const more = headers();
      more.set(moreHeader, '1');
      this.#link.nats.publish(message.reply, data.subarray(at, at + partBytes), { headers: more });
    }
    this.#link.nats.publish(message.reply, data.subarray(at));
  }
}

async function inParts(
  calls: readonly Call[],
  parts: readonly number[][],
  handler: Handler,
): Promise<Answer<unknown>[]> {
  const answers: Answer<unknown>[] = Array.from({ length: calls.length });
  for (const part of parts) {
    const given = await isolateFailures(
      part.map((index) => calls[index]!),
      handler,
      faultOf,
    );
    for (const [at, index] of part.entries()) answers[index] = given[at];
  }
  return answers;
}
