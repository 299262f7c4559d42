import type { InputOf, Operation, operationsOf, ServiceName } from '@roster/contracts';
import type { AnswerTo, Call } from '../frame/call.js';

/**
 * Answers calls of one operation: one answer per call, in the same order. A handler is atomic: if it throws, nothing was
 * applied, and the calls are handled one by one. If it throws a Fault, all calls are answered with it and none is handled
 * again.
 */
export interface Handler<O extends Operation = Operation> {
  (calls: Call<InputOf<O>>[]): Promise<AnswerTo<O>[]>;
  partsOf?: PartsOf<O>;
}

/**
 * Divides a batch into parts, given as indexes of its calls. The parts are handled sequentially, and each is atomic.
 * Undefined: the batch is one part.
 */
export type PartsOf<O extends Operation> = (
  calls: readonly Call<InputOf<O>>[],
) => number[][] | undefined;

/** One handler for each operation of the service. A missing one is a type error. */
export type HandlerTable<S extends ServiceName> = {
  [Name in keyof (typeof operationsOf)[S]]: (typeof operationsOf)[S][Name] extends Operation
    ? Handler<(typeof operationsOf)[S][Name]>
    : never;
};
