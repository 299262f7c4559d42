import type { z } from 'zod';
import type { FaultCode } from './fault.js';
import type { ResourceKind } from './resource.js';

/** What an API key may be allowed to do. Neither implies the other. */
export const scopes = ['api_user', 'user'] as const;
export type Scope = (typeof scopes)[number];

/** Where an operation stands in REST. A path has one parameter at most: the id of the operation's resource, such as `{contactId}`. */
export interface HttpBinding {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/v1/${string}`;
  /** Status of success. */
  status: 200 | 201 | 202;
  /** Another one, when this field of the input is true. */
  statusWhen?: { field: string; status: 200 };
}

/** The services that answer operations; each is a NATS queue group of that name. */
export type ServiceName = 'contacts' | 'users' | 'webhooks' | 'dispatcher';

/**
 * Something that can be asked, declared once. REST routes, the NATS client and server, and OpenAPI are projections of it.
 * Without a scope it is internal: asked by processes of this system only. Without `http` REST does not show it.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** NATS subject, `noun.verb`. */
  name: Name;
  summary: string;
  service: ServiceName;
  /** A write that timed out may have happened. */
  access: 'read' | 'write';
  /** What the caller's key must hold. */
  scope?: Scope;
  /**
   * What it is about, named by id in its input. An id that is unknown, malformed or another workspace's is refused with the
   * same `not_found`: nobody learns which.
   */
  resource?: ResourceKind;
  /** Group in the documentation. */
  tag?: string;
  http?: HttpBinding;
  input: Input;
  output: Output;
  /** Refusals beyond those that every operation may give (see `commonFaults`). */
  faults: readonly FaultCode[];
}

/** Refusals that every operation over HTTP may give. */
export const commonFaults = [
  'unauthenticated',
  'insufficient_scope',
  'invalid',
  'rate_limited',
  'internal',
  'unavailable',
  'timeout',
] as const satisfies readonly FaultCode[];

/** What REST shows has a scope and a place in the documentation. */
type Exposure = { http: HttpBinding; scope: Scope; tag: string } | { http?: never };

export function defineOperation<
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(operation: Operation<Name, Input, Output> & Exposure): Operation<Name, Input, Output> {
  return operation;
}

/** Operations of one service, by name. */
export type OperationTable = Record<string, Operation>;
/** Input as a handler gets it: parsed, with defaults applied. */
export type InputOf<O extends Operation> = z.output<O['input']>;
/** Input as a caller may write it. */
export type CallInputOf<O extends Operation> = z.input<O['input']>;
export type OutputOf<O extends Operation> = z.output<O['output']>;

/** Who asks, proven by the gateway from an API key. Ids in their outside form. */
export interface Caller {
  workspaceId: string;
  userId: string;
  keyId: string;
  scopes: Scope[];
}

/** The caller of internal operations that act for no workspace. */
export const systemCaller: Caller = { workspaceId: '', userId: '', keyId: 'system', scopes: [] };
