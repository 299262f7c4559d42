import type { DefaultContext, Middleware } from 'koa';
import type { Caller } from './keys.js';

/** What is known about a request while it is answered. */
export interface State {
  requestId: string;
  route: string;
  /** Once the key is known. */
  caller: Caller;
}

export type Handler = Middleware<State, DefaultContext & { params: Record<string, string> }>;
