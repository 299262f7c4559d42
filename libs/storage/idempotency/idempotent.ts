import { Json, type Answer, type Call, type Handler, type PartsOf } from '@roster/bus';
import type { Fault, InputOf, Operation } from '@roster/contracts';
import { answerOpen } from '../batches/answer-open.js';
import type { SessionHandler } from '../batches/session-handler.js';
import type { Database, Session } from '../database.js';
import { noCipher, type AnswerCipher } from './answer-cipher.js';
import { KeysInUse } from './keys-in-use.js';
import { RememberedAnswers, type Recalled } from './remembered-answers.js';

/**
 * Makes a write safe to repeat: for 24 hours, a call with the Idempotency-Key of a successful one gets the stored response, and
 * one whose key is in use by a call in flight is refused. Keys belong to the credential they are sent with. They are stored in the
 * transaction of the change, so that both are committed or neither. A refused call changes and stores nothing.
 *
 * A workspace with a key in a batch has a transaction for all of its calls in the batch.
 */
export function idempotent<O extends Operation>(
  database: Database,
  schema: string,
  operation: string,
  handler: SessionHandler<O>,
  { cipher = noCipher, onRepeat = () => Promise.resolve([]) }: Secrecy = {},
): Handler<O> {
  const remembered = new RememberedAnswers(schema, operation, cipher);
  const keys = new KeysInUse();
  const answerOnce = (calls: Call<InputOf<O>>[], inUse: (Fault | undefined)[]) =>
    database.transaction(async (session) => {
      const locked = await remembered.lock(session, calls, inUse);
      const refused = await remembered.answerInUse(session, calls, locked);
      const free = calls.filter((_, index) => !refused[index]);
      // After the locks: a statement does not see what is committed after it has begun.
      const recalled = await remembered.recall(session, free);
      const stored = recalled.values();
      const known = refused.map((answer) => answer ?? stored.next().value!.answer);
      const handleOpen = async (open: typeof free): Promise<Answer<unknown>[]> => {
        const records = recalled.filter(isOpen).map(({ record }) => record);
        const answers = await handler(open, session);
        // Also without a key to store: in a failed transaction it throws, whereas a commit would silently roll back.
        return remembered.remember(session, records, answers);
      };
      const answers = await answerOpen(calls, known, handleOpen);
      // Last: in a failed transaction it throws too.
      const refusals = await onRepeat(
        session,
        calls.map((call, at) => repeatOf(call, known[at])),
      );
      return answers.map((answer, at) => refusals[at] ?? answer);
    });
  const handle = (calls: Call<InputOf<O>>[]) =>
    calls.some(hasKey)
      ? keys.during(calls, (inUse) => answerOnce(calls, inUse))
      : handler(calls, database);
  return Object.assign(handle as Handler<O>, { partsOf: byKeyedWorkspace<O>(handler.partsOf) });
}

/** How an operation treats responses that contain a secret. */
interface Secrecy {
  /** Encrypts stored responses. */
  cipher?: AnswerCipher;
  /**
   * Called in the transaction, before stored responses are returned again. Returns the refusals of those that are not returned.
   *
   * @param repeats of each call; undefined for one that is not answered with a stored response
   */
  onRepeat?(
    this: void,
    session: Session,
    repeats: readonly (Repeat | undefined)[],
  ): Promise<readonly (Fault | undefined)[]>;
}

/** A call that is answered with the response of an earlier one. */
export interface Repeat {
  call: Call;
  answer: Json;
}

const repeatOf = (call: Call, answer: Json | Fault | undefined): Repeat | undefined =>
  answer instanceof Json ? { call, answer } : undefined;

const isOpen = ({ answer }: Recalled): boolean => answer === undefined;

const hasKey = ({ idempotencyKey }: Call): boolean => idempotencyKey !== undefined;

/**
 * The calls of each workspace with a key are separate from all others. Those of a workspace remain in order, divided as the
 * handler requires.
 */
const byKeyedWorkspace =
  <O extends Operation>(partsOf: PartsOf<O> = () => undefined): PartsOf<O> =>
  (calls) => {
    const keyed = new Set(calls.filter(hasKey).map(({ caller }) => caller.workspaceId));
    if (keyed.size === 0) return partsOf(calls);
    const groups = Map.groupBy(calls.keys(), (index) => {
      const { workspaceId } = calls[index]!.caller;
      return keyed.has(workspaceId) ? workspaceId : undefined;
    });
    return [...groups.values()].flatMap((group) => {
      const parts = partsOf(group.map((index) => calls[index]!));
      return parts?.map((part) => part.map((at) => group[at]!)) ?? [group];
    });
  };
