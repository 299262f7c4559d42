import { faultOf, type Answer, type Call, type Handler } from '@roster/bus';
import { Fault, type InputOf, type Operation } from '@roster/contracts';
import { answerOpen } from '../batches/answer-open.js';
import type { SessionHandler } from '../batches/session-handler.js';
import type { Database } from '../database.js';
import { noCipher } from './answer-cipher.js';
import { KeysInUse } from './keys-in-use.js';
import { RememberedAnswers, type RecordedCall } from './remembered-answers.js';

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
  const remembered = new RememberedAnswers(schema, operation, noCipher);
  const keys = new KeysInUse();
  const answerOnce = async (free: Call<InputOf<O>>[]): Promise<Answer<unknown>[]> => {
    const recalled = await remembered.recall(database, free);
    const known = recalled.map(({ answer }) => answer);
    const calls = free.map((call, index): RecordedCall<InputOf<O>> => {
      const { record } = recalled[index]!;
      return record ? { ...call, record } : call;
    });
    return answerOpen<(typeof calls)[0], Answer<unknown>>(calls, known, answerNew);
  };
  const answerNew = async (calls: RecordedCall<InputOf<O>>[]): Promise<Answer<unknown>[]> => {
    const answers: Answer<unknown>[] = await handler(calls, database);
    const isOpen = ({ record }: RecordedCall, index: number) =>
      record !== undefined && mayBeRepeated(answers[index]);
    const refused = calls.filter(isOpen);
    if (refused.length === 0) return answers;
    // Never throws: the other calls are committed.
    const recalled = await remembered
      .recall(database, refused)
      .catch((error: unknown) => refused.map(() => ({ answer: faultOf(error) })));
    const found = recalled.values();
    return answers.map((answer, index) =>
      isOpen(calls[index]!, index) ? (found.next().value!.answer ?? answer) : answer,
    );
  };
  const handle = (calls: Call<InputOf<O>>[]) => keys.during(calls, answerOnce);
  return Object.assign(handle as Handler<O>, handler.partsOf && { partsOf: handler.partsOf });
}

/**
 * Whether the refusal may be due to a call with the same key, handled by another process, that was committed after the keys were
 * looked up: its change conflicts with that of this call, or its key is stored.
 */
const mayBeRepeated = (answer: unknown): boolean =>
  answer instanceof Fault &&
  (answer.code === 'conflict' || answer.code === 'idempotency_key_in_use');
