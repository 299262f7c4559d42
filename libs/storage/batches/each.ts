import type { Answer, Call } from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';
import type { Session } from '../database.js';
import type { SessionHandler } from './session-handler.js';

/** Adapts a handler of one call to batches, for operations that are called rarely: each call is a part of its own. */
export function each<O extends Operation>(
  handle: (call: Call<InputOf<O>>, session: Session) => Promise<Answer<OutputOf<O>>>,
): SessionHandler<O> {
  const one: SessionHandler<O> = async ([call], session) => [await handle(call!, session)];
  return Object.assign(one, { partsOf: (calls: readonly unknown[]) => calls.map((_, at) => [at]) });
}
