import type fc from 'fast-check';
import type { Scope } from '@roster/contracts';
import type { WorkspaceClient } from './workspace-client.js';
import type { WorkspaceModel } from './workspace-model.js';

/** A browser token. */
export interface Token {
  secret: string;
  keyId: string;
  scopes: Scope[];
  readOnly: boolean;
  operations: string[] | null;
}

export interface Model {
  /** The states that explain all answers so far: concurrent requests may have two orders with the same answers. */
  workspaces: WorkspaceModel[];
  tokens: Token[];
  /** Secrets and tokens that are refused everywhere since their end. */
  refused: Set<string>;
}

/** The real system: the clients of one workspace. */
export interface Real {
  client: WorkspaceClient;
  executed(count: number): void;
}

export type Command = fc.AsyncCommand<Model, Real>;
