import type { DefaultContext, Middleware } from 'koa';
import type { Caller as ContractCaller } from '@roster/contracts';

/** With raw ids beside those that are shown. */
export interface Caller extends ContractCaller {
  workspaceUuid: string;
  userUuid: string;
}

/** What is known about a request while it is answered. */
export interface State {
  requestId: string;
  route: string;
  /** Once the key is known. */
  caller: Caller;
}

export type Handler = Middleware<State, DefaultContext & { params: Record<string, string> }>;
