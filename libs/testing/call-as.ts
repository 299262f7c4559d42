import { randomUUID } from 'node:crypto';

interface Caller {
  workspaceId: string;
  userId?: string;
  keyId?: string;
}

interface CallOptions {
  idempotencyKey?: string;
  /** Milliseconds until the deadline of the call; 10,000 by default. */
  timeoutMs?: number;
}

/** The fields of a call besides its input, as the bus expects them. IDs in their external form. */
export function callAs(
  { workspaceId, userId = '', keyId = '' }: Caller,
  { timeoutMs = 10_000, ...options }: CallOptions = {},
) {
  const scopes: ('api_user' | 'user')[] = ['api_user', 'user'];
  return {
    caller: { workspaceId, userId, keyId, scopes },
    requestId: randomUUID(),
    deadline: Date.now() + timeoutMs,
    ...options,
  };
}

/** As `callAs`, for operations outside of any workspace. */
export const callAsSystem = (options: CallOptions = {}) =>
  callAs({ workspaceId: '', keyId: 'system' }, options);
