import { Fault } from '@roster/contracts';
import { ClientGone, isGone } from './client-gone.js';
import type { HttpContext } from './exchange.js';

/**
 * Queues a request for a slot.
 *
 * @throws Fault `unavailable`
 * @throws ClientGone
 */
export async function waitForSlot({ req, state }: HttpContext): Promise<void> {
  state.hasSlot = await state.admission.acquire(state.group);
  if (isGone(req)) throw new ClientGone();
  if (!state.hasSlot) {
    throw new Fault('unavailable', 'Too many requests are in flight. Try again later.', {
      retryAfterSeconds: 1,
    });
  }
}

/** Returns the slot of a request while it waits for something, and takes one of its workspace afterwards. */
export async function withoutSlot<T>(ctx: HttpContext, waiting: Promise<T>): Promise<T> {
  const { state } = ctx;
  leaveSlot(ctx);
  const value = await waiting;
  state.group = state.admission.groupOf(state.caller?.workspaceId);
  state.hasSlot = state.admission.tryAcquire(state.group);
  if (!state.hasSlot) await waitForSlot(ctx);
  return value;
}

/** Returns the slot of a request, if it holds one. */
export function leaveSlot({ state }: HttpContext): void {
  if (!state.hasSlot) return;
  state.hasSlot = false;
  state.admission.release(state.group);
}
