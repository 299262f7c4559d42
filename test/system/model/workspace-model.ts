import { isDeepStrictEqual } from 'node:util';
import { operations, resources, type Operation } from '@roster/contracts';
import { contactRules } from './contact-rules.js';
import { webhookRules } from './webhook-rules.js';
import {
  expect,
  expectFault,
  WorkspaceState,
  type Answer,
  type Request,
} from './workspace-state.js';

const rules = { ...contactRules, ...webhookRules };

/** A workspace in memory that answers requests like the system. */
export class WorkspaceModel extends WorkspaceState {
  clone(): WorkspaceModel {
    return Object.assign(new WorkspaceModel(), structuredClone({ ...this }));
  }

  /** Whether both answer every further request alike. */
  answersLike({ contacts, definitions, webhooks, stored }: WorkspaceModel): boolean {
    return isDeepStrictEqual(
      [this.contacts, this.definitions, this.webhooks, this.stored],
      [contacts, definitions, webhooks, stored],
    );
  }

  /** Applies a request. @throws Error if the answer is not the one that the model expects */
  apply(request: Request, answer: Answer): void {
    const { operation, user, idempotencyKey } = request;
    const { access, service } = operations[operation];
    if (idempotencyKey === undefined || access === 'read') return this.#apply(request, answer);
    const key = `${service} ${user} ${idempotencyKey}`;
    const input = inputOf(request);
    const stored = this.stored.get(key);
    if (stored?.input === input) return expect(answer, stored.answer);
    if (stored) return expectFault(answer, 422, 'invalid');
    this.#apply(request, answer);
    if (answer.status < 300) this.stored.set(key, { input, answer });
  }

  #apply(request: Request, answer: Answer): void {
    const rule = rules[request.operation];
    if (!rule) throw new Error(`the model has no rule for ${request.operation}`);
    rule(this, request, answer);
  }
}

function inputOf({ operation, id, body }: Request): string {
  const { input, resource }: Operation = operations[operation];
  const whole = { ...body, ...(resource && { [resources[resource].idField]: id }) };
  return `${operation} ${JSON.stringify(input.parse(whole))}`;
}
