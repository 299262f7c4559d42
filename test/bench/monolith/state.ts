import type { DefaultContext, Middleware } from 'koa';
import type { Caller as ContractCaller } from '@roster/contracts';

/** With raw IDs in addition to the public ones. */
export interface Caller extends ContractCaller {
  workspaceUuid: string;
  userUuid: string;
}

/** Data about a request while it is processed. */
export interface State {
  requestId: string;
  route: string;
  /** Set once the key is verified. */
  caller: Caller;
}

export type Handler = Middleware<State, DefaultContext & { params: Record<string, string> }>;
