import type { InputOf, Operation, operationsOf, OutputOf, ServiceName } from '@roster/contracts';
import type { Answer, Call } from './frame.js';

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
