import type { Caller } from '@roster/contracts';
import type { HttpContext } from '../http/exchange/exchange.js';

/** Answers a request with a file, which begins with a result of its operation. */
export type SendFile = (
  ctx: HttpContext,
  caller: Caller,
  input: Record<string, unknown>,
  result: Uint8Array,
) => Promise<void>;
