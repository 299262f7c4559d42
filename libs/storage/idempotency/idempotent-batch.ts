import { faultOf, type Answer, type Call, type Handler } from '@roster/bus';
import { Fault, type InputOf, type Operation } from '@roster/contracts';
import { answerOpen } from '../batches/answer-open.js';
import type { SessionHandler } from '../batches/session-handler.js';
import type { Database } from '../database.js';
import { noCipher } from './answer-cipher.js';
import { keyInUse, KeysInUse } from './keys-in-use.js';
import { RememberedAnswers, type Recalled, type RecordedCall } from './remembered-answers.js';

/**
 * As `idempotent`, with the same promises, for a frequent write: calls with and without a key, of any workspaces, are handled
 * together, outside of a transaction.
 *
 * @param handler stores the result of a call with its `record`, in the statement of the change. That statement also locks the
 *   key, and answers `keyInUse` if it is locked or stored.
 */
export function idempotentBatch<O extends Operation>(
  database: Database,
  schema: string,
  operation: string,
  handler: SessionHandler<O>,
): Handler<O> {
  type Recorded = RecordedCall<InputOf<O>>;
  const remembered = new RememberedAnswers(schema, operation, noCipher);
  const keys = new KeysInUse();
  const answerOnce = async (calls: Call<InputOf<O>>[], inUse: (Fault | undefined)[]) => {
    const refused = await remembered.answerInUse(database, calls, inUse);
    return answerOpen<Call<InputOf<O>>, Answer<unknown>>(calls, refused, answerFree);
  };
  const answerFree = async (free: Call<InputOf<O>>[]): Promise<Answer<unknown>[]> => {
    const recalled = await remembered.recall(database, free);
    const known = recalled.map(({ answer }) => answer);
    return answerOpen<Recorded, Answer<unknown>>(withRecords(free, recalled), known, answerNew);
  };
  const answerNew = async (calls: Recorded[]): Promise<Answer<unknown>[]> => {
    const answers: Answer<unknown>[] = await handler(calls, database);
    const refused = [...calls.keys()].filter(
      (index) => calls[index]!.record && mayBeRepeated(answers[index]),
    );
    if (refused.length === 0) return answers;
    // Never throws: the other calls are committed.
    const again = await answerRefused(
      refused.map((index) => calls[index]!),
      refused.map((index) => answers[index]!),
    ).catch((error: unknown) => refused.map(() => faultOf(error)));
    for (const [at, index] of refused.entries()) answers[index] = again[at]!;
    return answers;
  };
  /** Looks up the keys again. A call is handled again if another credential has stored the key under which it would be stored. */
  const answerRefused = async (calls: Recorded[], refusals: Answer<unknown>[]) => {
    const recalled = await remembered.recall(database, calls);
    const isFinal = (at: number) =>
      refusals[at] !== keyInUse || recalled[at]!.record?.key === calls[at]!.record!.key;
    const known = recalled.map(
      ({ answer }, at) => answer ?? (isFinal(at) ? refusals[at] : undefined),
    );
    return answerOpen<Recorded, Answer<unknown>>(withRecords(calls, recalled), known, answerNew);
  };
  const handle = (calls: Call<InputOf<O>>[]) =>
    calls.some(({ idempotencyKey }) => idempotencyKey !== undefined)
      ? keys.during(calls, (inUse) => answerOnce(calls, inUse))
      : handler(calls, database);
  return Object.assign(handle as Handler<O>, handler.partsOf && { partsOf: handler.partsOf });
}

const withRecords = <Input>(
  calls: readonly Call<Input>[],
  recalled: readonly Recalled[],
): RecordedCall<Input>[] =>
  calls.map((call, index) => {
    const { record } = recalled[index]!;
    return record ? { ...call, record } : call;
  });

/**
 * Whether the refusal may be due to a call with the same key, handled by another process, that was committed after the keys were
 * looked up: its change conflicts with that of this call, or its key is stored.
 */
const mayBeRepeated = (answer: unknown): boolean =>
  answer instanceof Fault &&
  (answer.code === 'conflict' || answer.code === 'idempotency_key_in_use');
