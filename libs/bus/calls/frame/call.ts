import type { Caller, Fault, Operation, OutputOf } from '@roster/contracts';

/** One request of one operation by one caller, as a handler sees it. */
export interface Call<Input = unknown> {
  input: Input;
  caller: Caller;
  requestId: string;
  /** W3C trace context. */
  traceparent?: string;
  /** Of traced calls only. */
  tracestate?: string | undefined;
  /** As `steadyNow`. After it, the caller ignores the answer. */
  deadline: number;
  /** Address of the client, for audited operations. */
  address?: string;
  /** A write repeated with the same key gets the answer of the first one. */
  idempotencyKey?: string;
  /** The versions of the resource for which it is changed: see `versionOf`. Any version if absent. */
  ifMatch?: readonly string[];
  /** Its share of the bytes of the request: the average of the batch. */
  bytes?: number;
}

/** A result that is already JSON text, and is sent unchanged. */
export class Json {
  /** @param isReplayed whether it is the stored response of an earlier call with the same key */
  constructor(
    readonly text: string,
    readonly isReplayed = false,
  ) {}

  /** A result as JSON text. */
  static textOf(result: unknown): string {
    return result instanceof Json ? result.text : JSON.stringify(result);
  }
}

/** The answer of a handler to one call. */
export type Answer<Output> = Output | Json | Fault;

/** The answer of a handler to one call of an operation. */
export type AnswerTo<O extends Operation> = Answer<OutputOf<O>>;
