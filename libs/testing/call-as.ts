import { randomUUID } from 'node:crypto';

interface Who {
  workspaceId: string;
  userId?: string;
  keyId?: string;
}

interface Carried {
  idempotencyKey?: string;
  /** Milliseconds until nobody waits for an answer any more; 10,000 when not given. */
  timeoutMs?: number;
}

/** What a call by `who` carries beside its input, in the shape of the bus. Ids in their outside form. */
export function callAs(
  { workspaceId, userId = '', keyId = '' }: Who,
  { timeoutMs = 10_000, ...carried }: Carried = {},
) {
  const scopes: ('api_user' | 'user')[] = ['api_user', 'user'];
  return {
    caller: { workspaceId, userId, keyId, scopes },
    requestId: randomUUID(),
    deadline: Date.now() + timeoutMs,
    ...carried,
  };
}

/** As `callAs`, for operations that act for no workspace. */
export const callAsSystem = (carried: Carried = {}) =>
  callAs({ workspaceId: '', keyId: 'system' }, carried);
