import { printable, type Output } from '../output.js';
import { localDelivery, type LocalWebhook, type LoggedEvent } from './local-delivery.js';
import { post, Unanswered } from './post.js';

/** As long as that of a delivery. */
const timeoutMs = 15_000;

/** Sends an event to a handler, once. */
export async function send(
  event: LoggedEvent,
  webhook: LocalWebhook,
  forwardTo: URL,
): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = await post(forwardTo, localDelivery(event, webhook), timeoutMs).catch(
    (error: unknown) => {
      if (error instanceof Unanswered) return { error: error.message };
      throw error;
    },
  );
  return { ...outcome, ms: Math.round(performance.now() - startedAt) };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** What became of an event. */
type Outcome = { ms: number } & ({ status: number } | { error: string });

/** A line for people on a terminal, otherwise a JSON line. */
export async function report(
  { id, kind, createdAt }: LoggedEvent,
  result: Outcome & { attempt: number },
  output: Pick<Output, 'write' | 'isTable' | 'colors'>,
): Promise<void> {
  if (!output.isTable)
    return output.write(`${JSON.stringify({ id, kind, createdAt, ...result })}\n`);
  const answer = 'status' in result ? String(result.status) : result.error;
  const isGood = 'status' in result && isSuccess(result.status);
  const shown = output.colors[isGood ? 'green' : 'red'](printable(answer));
  await output.write(
    `${shown}  ${String(result.ms).padStart(5)} ms  ${printable(kind)}  ${printable(id)}\n`,
  );
}
