import type { Answer, Call, Handler, PartsOf } from '@roster/bus';
import { uuidOf, type InputOf, type Operation, type OutputOf } from '@roster/contracts';
import type { SessionHandler } from '../batches/session-handler.js';
import type { Database } from '../database.js';
import { noCipher, type AnswerCipher } from './answer-cipher.js';
import { RememberedAnswers } from './remembered-answers.js';

/**
 * Makes a write safe to repeat: for 24 hours, a call with the Idempotency-Key of a successful one gets the stored response.
 * Keys belong to the user who sends them. The key is stored in the transaction of the change, so that both are committed or
 * neither. A refused call changes and stores nothing. Calls without a key remain together in their batch.
 *
 * @param cipher encrypts responses that contain a secret
 */
export function idempotent<O extends Operation>(
  database: Database,
  schema: string,
  operation: string,
  handler: SessionHandler<O>,
  cipher: AnswerCipher = noCipher,
): Handler<O> {
  const remembered = new RememberedAnswers(schema, operation, cipher);
  const answerOnce = (call: Call<InputOf<O>>, key: string) =>
    database.transaction((session) =>
      remembered.answerOnce(
        session,
        {
          workspaceId: uuidOf('workspace', call.caller.workspaceId),
          userId: call.caller.userId === '' ? null : uuidOf('user', call.caller.userId),
          key,
          input: inputOf(call),
        },
        async () => (await handler([call], session))[0]!,
      ),
    );
  const handle = async (calls: Call<InputOf<O>>[]): Promise<Answer<OutputOf<O>>[]> => {
    const [call] = calls;
    const key = call?.idempotencyKey;
    return key === undefined ? handler(calls, database) : [await answerOnce(call!, key)];
  };
  return Object.assign(handle, { partsOf: byKey<O>(handler.partsOf) });
}

/** A repeated call has the same condition: the stored response is returned, although the resource has changed since. */
const inputOf = ({ input, ifMatch }: Call): unknown =>
  ifMatch === undefined ? input : { input, ifMatch };

/** A call with a key is a part of its own. The calls between two of them are divided as the handler requires. */
const byKey =
  <O extends Operation>(partsOf: PartsOf<O> = () => undefined): PartsOf<O> =>
  (calls) => {
    if (calls.every(({ idempotencyKey }) => idempotencyKey === undefined)) return partsOf(calls);
    const parts: number[][] = [];
    let plain: number[] = [];
    const cutPlain = () => {
      if (plain.length === 0) return;
      const cut = partsOf(plain.map((index) => calls[index]!));
      parts.push(...(cut ? cut.map((part) => part.map((at) => plain[at]!)) : [plain]));
      plain = [];
    };
    for (const [index, { idempotencyKey }] of calls.entries()) {
      if (idempotencyKey === undefined) {
        plain.push(index);
      } else {
        cutPlain();
        parts.push([index]);
      }
    }
    cutPlain();
    return parts;
  };
