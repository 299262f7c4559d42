import type { Answer, Call, Handler } from '@roster/bus';
import type { InputOf, Operation } from '@roster/contracts';
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
    return answerOpen<(typeof calls)[0], Answer<unknown>>(calls, known, (open) =>
      handler(open, database),
    );
  };
  const handle = (calls: Call<InputOf<O>>[]) => keys.during(calls, answerOnce);
  return Object.assign(handle as Handler<O>, handler.partsOf && { partsOf: handler.partsOf });
}
