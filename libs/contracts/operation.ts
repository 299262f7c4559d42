import { z } from 'zod';
import type { FaultCode } from './fault.js';
import type { ResourceKind } from './ids.js';

/** Scopes of an API key. Neither implies the other. */
export const scopes = ['api_user', 'user'] as const;
export type Scope = (typeof scopes)[number];
/** In place of a scope: every valid key may call the operation, whichever scopes it holds. */
export const anyScope = 'any';
export type RequiredScope = Scope | typeof anyScope;

/**
 * REST binding of an operation. A path has at most one parameter: the ID of the operation's resource, such as `{contactId}`, or
 * another field of an input without a resource, such as `{tag}`, which is any text.
 */
export interface HttpBinding {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/v1/${string}`;
  /** Status of success. */
  status: 200 | 201 | 202;
  /** Path of the list that a created resource belongs to, if it is not `path`: its ID follows in `Location`. */
  createdIn?: `/v1/${string}`;
  /** Status of success if this field of the input is true. */
  statusWhen?: { field: string; status: 200 };
  /** Status of success unless this field of the output is true. The field is the first of the output. */
  statusUnless?: { field: string; status: 200 };
  /** Fields of an input with a body that the query can contain instead of the body. If both do, they must be equal, ignoring case. */
  query?: readonly string[];
  /**
   * Set if a GET returns one resource, with an ETag. The system maintains these fields of the resource: they do not count for
   * If-Match, because a time of last use would otherwise refuse every update. Fields that are `secret` do not count either, so
   * that a secret chosen by a client cannot be guessed from the version.
   */
  etag?: { maintained: readonly string[]; secret?: readonly string[] };
  /** Field of the input that adds fields to the resource: with it, the response has no ETag. */
  untaggedWith?: string;
  /** Media types of a response that is a file, which the gateway writes from results of the operation. JSON without them. */
  file?: readonly string[];
  /**
   * Set if the body is a file, of one of the media types. The query contains the input, without its `format` and the fields that
   * the gateway reads from the file.
   */
  upload?: { mediaTypes: readonly string[]; bytesMax: number; contains?: readonly string[] };
}

/** The services that serve operations. Each is a NATS queue group of that name. */
export const serviceNames = ['contacts', 'users', 'webhooks', 'dispatcher'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The programs that connect to NATS, each with a user of its own. `operator` is the command line. */
export const programNames = ['gateway', ...serviceNames, 'operator'] as const;
export type ProgramName = (typeof programNames)[number];

/**
 * Declaration of an operation, from which REST routes, the NATS client and server, and OpenAPI are derived. Without a scope, an
 * operation is internal: only the programs of `calledBy` call it. Without `http`, it is not part of REST.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Access extends 'read' | 'write' = 'read' | 'write',
> {
  /** NATS subject, `noun.verb`. */
  name: Name;
  summary: string;
  service: ServiceName;
  /** A write that timed out may have been applied. */
  access: Access;
  /** Scope that the API key must hold. Browser tokens that are limited to operations must name this one, also with `any`. */
  scope?: RequiredScope;
  /** A second scope that the API key must hold, because the operation does what operations of both scopes do. */
  alsoScope?: Scope;
  /** Programs that call an internal operation. NATS denies it to all others. Operations with a scope are called by the gateway. */
  calledBy?: readonly ProgramName[];
  /**
   * Other services that its handler calls. The operation has slots of its own in its service: others do not wait until the other
   * services answer.
   */
  callsServices?: readonly ServiceName[];
  /**
   * Set for an operation whose call does the work of many. Each call is sent and handled separately from others, and counts in rate
   * limits as this number of requests.
   */
  bulk?: { requestsOf(input: unknown): number };
  /** Whether its handler calls the OpenID issuer. It has slots of its own for the same reason. */
  callsIssuer?: true;
  /** Whether its handler reads the stream of events. It has slots of its own for the same reason. */
  readsEventLog?: true;
  /**
   * Whether it searches: such operations have slots of their own in their service, so that others do not wait for them. Each call is
   * sent and handled separately.
   */
  searches?: true;
  /** Other operations, of which this one returns a part of the results. Browser tokens that allow one of them allow this one. */
  partOf?: readonly string[];
  /** Neither REST nor GraphQL offers it: the gateway calls it as a part of another operation, for the same caller. */
  unexposed?: true;
  /** Calls whose input has one of these fields are sent to another operation, with the same input and output. */
  narrowed?: { by: readonly string[]; operation: string };
  /** Whether an API key is required: browser tokens cannot call it. */
  requiresKey?: boolean;
  /**
   * Set if the result is about the members of the workspace, or what they did. Browser tokens must name such an operation, as those
   * whose result contains a secret: a token without `operations` does not allow it.
   */
  mustBeNamed?: true;
  /**
   * Kind of the resource that the input identifies by ID. Unknown IDs, malformed IDs and IDs of other workspaces get the same
   * `not_found`, so that callers cannot distinguish them.
   */
  resource?: ResourceKind;
  /**
   * Whether the result contains an API key, a browser token or the token of a webhook. Such results are not compressed, and browser
   * tokens must name the operation.
   */
  containsSecret?: true;
  /** Recorded in the audit log. Its calls carry the address of the client. */
  audited?: true;
  /** As `audited`, for calls whose input has this field with the value true. */
  auditedWith?: string;
  /** Group in the OpenAPI document. */
  tag?: string;
  http?: HttpBinding;
  /** REST binding of an internal operation that the gateway calls for requests with an admin key. Its input has the field `adminKey`. */
  admin?: HttpBinding;
  input: Input;
  output: Output;
  /** Faults in addition to `commonFaults`. */
  faults: readonly FaultCode[];
}

/** Faults that every operation over HTTP can have. */
export const commonFaults = [
  'unauthenticated',
  'insufficient_scope',
  'workspace_suspended',
  'invalid',
  'rate_limited',
  'daily_quota_exceeded',
  'internal',
  'unavailable',
  'timeout',
] as const satisfies readonly FaultCode[];

/** Faults that every write over HTTP can have as well. */
export const writeFaults = [
  'idempotency_key_reused',
  'idempotency_key_in_use',
] as const satisfies readonly FaultCode[];

/** Operations of REST require a scope and a tag, internal ones the programs that call them. */
type Exposure =
  | { http: HttpBinding; scope: RequiredScope; tag: string; calledBy?: never }
  | { http?: never; scope: RequiredScope; calledBy?: never }
  | { http?: never; scope?: never; calledBy: readonly [ProgramName, ...ProgramName[]] };

/** The fields of an input that a path contains: `contactId` of `/v1/contacts/{contactId}`. */
export const pathFieldsOf = ({ path }: Pick<HttpBinding, 'path'>): string[] =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, field]) => field!);

/** The scopes that an API key must hold for an operation. None for internal operations, and for those of every key. */
export const scopesOf = ({ scope, alsoScope }: Pick<Operation, 'scope' | 'alsoScope'>): Scope[] =>
  [scope, alsoScope].filter((one) => one !== undefined && one !== anyScope);

/** Whether a call is recorded in the audit log. */
export const isAudited = (
  { audited, auditedWith }: Pick<Operation, 'audited' | 'auditedWith'>,
  input: object,
): boolean =>
  audited === true || (auditedWith !== undefined && Reflect.get(input, auditedWith) === true);

/** The programs that call an operation. */
export const callersOf = ({ calledBy = ['gateway'] }: Operation): readonly ProgramName[] =>
  calledBy;

export function defineOperation<
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Access extends 'read' | 'write',
>(
  operation: Operation<Name, Input, Output, Access> & Exposure,
): Operation<Name, Input, Output, Access> {
  return operation;
}

/** Operations of one service, by name. */
export type OperationTable = Record<string, Operation>;
/** Input of a handler: parsed, with defaults applied. */
export type InputOf<O extends Operation> = z.output<O['input']>;
/** Input of a caller, before parsing. */
export type CallInputOf<O extends Operation> = z.input<O['input']>;
export type OutputOf<O extends Operation> = z.output<O['output']>;

/** The authenticated caller of an operation. IDs in their external form. */
export interface Caller {
  workspaceId: string;
  userId: string;
  keyId: string;
  scopes: Scope[];
  /** Set if the caller has a browser token instead of the key. */
  token?: TokenLimits;
  /** Distinguishes browser tokens of one key. Until 0.4.0: empty for those signed by 0.2.0. */
  tokenId?: string;
  /** Statement of the users service about the fields above. Services with its public key believe nothing else. */
  proof?: string;
}

/** What a browser token allows of what its API key does. */
export interface TokenLimits {
  readOnly: boolean;
  /** The only operations. Null for all. */
  operations: string[] | null;
  /**
   * Set for tokens of a session of the console, which may do what its API key may: whether the user signed in within the last ten
   * minutes, without which operations that require a key are refused. Such a token expires when the ten minutes do.
   */
  isFresh?: boolean;
}

/** Caller of internal operations that do not belong to a workspace. */
export const systemCaller: Caller = { workspaceId: '', userId: '', keyId: 'system', scopes: [] };

const schemas = new WeakMap<Operation, z.ZodType>();

/**
 * Schema of the input as a service receives it: what the contract's schema returned to the gateway. Fields that this release
 * does not know are removed, because a gateway of the next release may send them.
 */
export function servedInput(operation: Operation): z.ZodType {
  let schema = schemas.get(operation);
  if (!schema) {
    const { input } = operation;
    schema = input instanceof z.ZodObject ? input.strip() : input;
    schemas.set(operation, schema);
  }
  return schema;
}

/**
 * States the default of a field in its description instead of `default`: generators of types take a field with a default for one that
 * must be sent.
 */
export function describeDefault(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.default === undefined) return;
  const words = `Defaults to \`${JSON.stringify(schema.default)}\`.`;
  schema.description = schema.description === undefined ? words : `${schema.description} ${words}`;
  delete schema.default;
}
