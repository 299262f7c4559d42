import type { Fault, Operation } from '@roster/contracts';
import { timedOut, unavailable } from './faults.js';
import type { Answer, Call } from './frame.js';
import type { Handler } from './handler.js';
import { faultOf, isolateFailures, OutcomeUnknown } from './isolate-failures.js';

/**
 * Handles a batch, part by part, and answers each call. Never rejects. At the deadline of the last call no further part is
 * started, and the batch is answered even if its handler hangs: otherwise it would occupy its slot forever.
 */
export async function handleBatch(
  operation: Operation,
  calls: Call[],
  handler: Handler,
): Promise<Answer<unknown>[]> {
  const deadline = Math.max(...calls.map((call) => call.deadline));
  const handle = async (some: Call[]): Promise<Answer<unknown>[]> => {
    if (Date.now() >= deadline) throw timedOut(operation);
    return handler(some);
  };
  const failure = (error: unknown) => faultIn(operation, error);
  const parts = handler.partsOf?.(calls);
  const answers =
    parts === undefined || parts.length === 1
      ? isolateFailures(calls, handle, failure)
      : inParts(calls, parts, handle, failure);
  return (await untilDeadline(deadline, answers)) ?? calls.map(() => timedOut(operation));
}

/** A read changes nothing, so its outcome is never unknown. */
const faultIn = ({ access }: Operation, error: unknown): Fault =>
  error instanceof OutcomeUnknown && access === 'read'
    ? unavailable(error.reason, error.cause)
    : faultOf(error);

async function inParts(
  calls: readonly Call[],
  parts: readonly number[][],
  handle: (calls: Call[]) => Promise<Answer<unknown>[]>,
  failure: (error: unknown) => Fault,
): Promise<Answer<unknown>[]> {
  const answers: Answer<unknown>[] = Array.from({ length: calls.length });
  for (const part of parts) {
    const given = await isolateFailures(
      part.map((index) => calls[index]!),
      handle,
      failure,
    );
    for (const [at, index] of part.entries()) answers[index] = given[at];
  }
  return answers;
}

/** Resolves with the result of `work`, or with undefined if the deadline passes first. */
async function untilDeadline<T>(deadline: number, work: Promise<T>): Promise<T | undefined> {
  const passed = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => passed.resolve(undefined), deadline - Date.now());
  try {
    return await Promise.race([work, passed.promise]);
  } finally {
    clearTimeout(timer);
  }
}
