import type { Fault, Operation } from '@roster/contracts';
import { steadyNow } from '../../wire.js';
import type { AnswerTo, Call } from '../frame/call.js';
import { Contended, timedOut, unavailable } from '../frame/faults.js';
import type { Handler } from './handler.js';
import { faultOf, inParts, isolateCalls, OutcomeUnknown } from './isolate-failures.js';
import { LockWait, withLockWait } from './lock-wait.js';

/**
 * Handles a batch, part by part, and answers each call. Never rejects. At the deadline of the last call no further part is
 * started, and the batch is answered even if its handler hangs: otherwise it would occupy its slot forever.
 *
 * @param lockMs limit for lock waits, so that a lock in one workspace does not delay calls of others. Calls of a workspace that
 * reaches it are answered `Contended`: nothing was applied
 */
export async function handleBatch(
  operation: Operation,
  calls: Call[],
  handler: Handler,
  lockMs?: number,
): Promise<AnswerTo<Operation>[]> {
  const deadline = Math.max(...calls.map((call) => call.deadline));
  const handle = async (some: Call[]): Promise<AnswerTo<Operation>[]> => {
    if (steadyNow() >= deadline) throw timedOut(operation);
    return handler(some);
  };
  const handlePart = (part: Call[]) =>
    isolateCalls(part, handle, (error) => faultIn(operation, error));
  const parts = handler.partsOf?.(calls);
  const answers = withLockWait(new LockWait(lockMs), () =>
    parts === undefined || parts.length === 1
      ? handlePart(calls)
      : inParts(calls, parts, skipContended(handlePart)),
  );
  return (await untilDeadline(deadline, answers)) ?? calls.map(() => timedOut(operation));
}

type HandlePart = (calls: Call[]) => Promise<AnswerTo<Operation>[]>;

/** After a call of a workspace was contended, does not handle those in later parts, so that they keep their order. */
function skipContended(handle: HandlePart): HandlePart {
  const contended = new Map<string, Contended>();
  return async (part) => {
    const skipped = ({ caller }: Call) => contended.get(caller.workspaceId);
    const open = contended.size === 0 ? part : part.filter((call) => !skipped(call));
    const given = (open.length === 0 ? [] : await handle(open)).values();
    const answers = part.map((call) => skipped(call) ?? given.next().value!);
    for (const [index, answer] of answers.entries())
      if (answer instanceof Contended) contended.set(part[index]!.caller.workspaceId, answer);
    return answers;
  };
}

/** A read changes nothing, so its outcome is never unknown. */
const faultIn = ({ access }: Operation, error: unknown): Fault =>
  error instanceof OutcomeUnknown && access === 'read'
    ? unavailable(error.reason, error.cause)
    : faultOf(error);

/** Resolves with the result of `work`, or with undefined if the deadline passes first. */
async function untilDeadline<T>(deadline: number, work: Promise<T>): Promise<T | undefined> {
  const passed = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => passed.resolve(undefined), deadline - steadyNow());
  try {
    return await Promise.race([work, passed.promise]);
  } finally {
    clearTimeout(timer);
  }
}
