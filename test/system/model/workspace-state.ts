import { isDeepStrictEqual } from 'node:util';
import type { OperationName } from '@roster/contracts';
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
  query?: { limit: number; after?: string | undefined } | undefined;
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
}

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  token: string;
  status: string;
}

export interface Stored {
  input: string;
  answer: Answer;
}

/** The state of one workspace according to the answered requests. */
export class WorkspaceState {
  readonly contacts = new Map<string, Contact>();
  readonly definitions = new Map<string, Definition>();
  readonly webhooks = new Map<string, Webhook>();
  /** Stored responses by service, user and Idempotency-Key. */
  readonly stored = new Map<string, Stored>();
  /** IDs of all contacts, definitions and webhooks, including deleted ones. */
  readonly ids: Record<'contact' | 'contactProperty' | 'webhook', string[]> = {
    contact: [],
    contactProperty: [],
    webhook: [],
  };
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
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`expected ${JSON.stringify(expected)}, not ${JSON.stringify(found)}`);
}
