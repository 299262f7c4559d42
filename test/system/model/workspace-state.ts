import { isDeepStrictEqual } from 'node:util';
import type { ContactPropertyType, OperationName, Scope } from '@roster/contracts';
import type { Contact } from '../client.js';

/** A request to the REST interface, and the operation that it calls. */
export interface Request {
  operation: OperationName;
  /** Index of the user who sends it. */
  user: number;
  idempotencyKey?: string | undefined;
  /** ID of the resource in the path. */
  id?: string | undefined;
  body?: Record<string, unknown> | undefined;
  query?:
    | { limit: number; after?: string | undefined; property?: readonly string[] | undefined }
    | undefined;
  /** Whether no other request of the workspace is in flight. */
  isAlone?: boolean;
}

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- Parsed JSON, which the rules compare.
  body: Record<string, any>;
}

export interface Definition {
  /** Unknown until a response contains it. */
  id: string | undefined;
  label: string;
  type: ContactPropertyType;
}

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  token: string;
  status: string;
}

/** An API key that is not revoked. */
export interface ApiKey {
  id: string;
  /** Unknown, like `createdAt`, if the response to its creation was lost, until another one contains it. */
  prefix: string | undefined;
  name: string;
  scopes: Scope[];
  userId: string;
  createdAt: string | undefined;
  expiresAt: null;
  /** No account of an identity provider signs in as one of them. */
  signInEmail: null;
}

export interface Secret {
  keyId: string;
  scopes: Scope[];
  isValid: boolean;
}

/** What exists in a new workspace. */
export interface Beginnings {
  /** The IDs of its users. */
  users: readonly string[];
  apiKeys: readonly ApiKey[];
  /** Whether the client repeats a write with an unknown outcome. */
  repeatsWrites: boolean;
}

export interface Stored {
  input: unknown;
  answer: Answer;
}

/** The state of one workspace according to the answered requests. */
export class WorkspaceState {
  readonly users: readonly string[];
  readonly repeatsWrites: boolean;
  readonly contacts = new Map<string, Contact>();
  /** The greatest `updatedAt` of a contact so far. */
  lastChange = '';
  /** Keys of addresses that unsubscribed. */
  readonly suppressed = new Set<string>();
  readonly definitions = new Map<string, Definition>();
  readonly webhooks = new Map<string, Webhook>();
  readonly apiKeys: Map<string, ApiKey>;
  /** Keys that were rotated with an overlap. */
  readonly overlapping = new Set<string>();
  readonly revoked = new Set<string>();
  /** Those that responses contained. */
  readonly secrets = new Map<string, Secret>();
  /** Stored responses by service, user and Idempotency-Key. */
  readonly stored = new Map<string, Stored>();
  /** IDs of everything that was created, including what was deleted. */
  readonly ids: Record<'contact' | 'contactProperty' | 'webhook' | 'key', string[]> = {
    contact: [],
    contactProperty: [],
    webhook: [],
    key: [],
  };

  constructor({ users, apiKeys, repeatsWrites }: Beginnings) {
    this.users = users;
    this.apiKeys = new Map(apiKeys.map((key) => [key.id, key]));
    this.repeatsWrites = repeatsWrites;
  }
}

/** Compares an answer with the state before the request, and changes the state. @throws Error if they do not match */
export type Rule = (model: WorkspaceState, request: Request, answer: Answer) => void;

export type Rules = Partial<Record<OperationName, Rule>>;

export const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

export function expectFault(
  answer: Answer,
  status: number,
  code: string,
  existingId?: string,
): void {
  const { code: found, existingId: id } = answer.body;
  expect(
    { status: answer.status, body: { code: found, existingId: id } },
    { status, body: { code, existingId } },
  );
}

export function expect(found: Answer, expected: Answer): void {
  if (!isDeepStrictEqual(found, withTimes(expected, found)))
    throw new Error(`expected ${JSON.stringify(expected)}, not ${JSON.stringify(found)}`);
}

/** Any times are expected of a contact that a batch has written, whose result does not contain it. */
function withTimes(expected: unknown, found: unknown): unknown {
  if (typeof expected !== 'object' || expected === null) return expected;
  const others = (found ?? {}) as Record<string, unknown>;
  if (Array.isArray(expected)) return expected.map((one, at) => withTimes(one, others[at]));
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [name, expectedOf(name, value, others[name])]),
  );
}

function expectedOf(name: string, value: unknown, found: unknown): unknown {
  if (name === 'createdAt' || name === 'updatedAt') return value || found;
  return withTimes(value, found);
}
