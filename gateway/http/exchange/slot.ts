import { Fault } from '@roster/contracts';
import { ClientGone } from './client-gone.js';
import type { HttpContext } from './exchange.js';

/**
 * Queues a request for a slot.
 *
 * @throws Fault `unavailable`
 * @throws ClientGone
 */
export async function waitForSlot({ req, state }: HttpContext): Promise<void> {
  state.hasSlot = await state.admission.acquire();
  if (req.socket.destroyed) throw new ClientGone();
  if (!state.hasSlot) {
    throw new Fault('unavailable', 'Too many requests are in flight. Try again later.', {
      retryAfterSeconds: 1,
    });
  }
}

/** Returns the slot of a request while it waits for its client, and takes one again afterwards. */
export async function withoutSlot<T>(ctx: HttpContext, waiting: Promise<T>): Promise<T> {
  leaveSlot(ctx);
  const value = await waiting;
  ctx.state.hasSlot = ctx.state.admission.tryAcquire();
  if (!ctx.state.hasSlot) await waitForSlot(ctx);
  return value;
}

/** Returns the slot of a request, if it holds one. */
export function leaveSlot({ state }: HttpContext): void {
  if (!state.hasSlot) return;
  state.hasSlot = false;
  state.admission.release();
}
