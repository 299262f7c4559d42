import { isDeepStrictEqual } from 'node:util';
import { operations, resources, type Operation } from '@roster/contracts';
import { contactRules } from './contact-rules.js';
import { existingKeyOf, keyRules } from './key-rules.js';
import { webhookRules } from './webhook-rules.js';
import {
  expect,
  expectFault,
  WorkspaceState,
  type Answer,
  type Request,
  type Webhook,
} from './workspace-state.js';

const rules = { ...contactRules, ...webhookRules, ...keyRules };
/** Their responses contain a secret, and are not stored. */
const shownOnce = new Set<string>(['api-keys.create', 'api-keys.rotate']);

/** A workspace in memory that answers requests like the system. */
export class WorkspaceModel extends WorkspaceState {
  clone(): WorkspaceModel {
    const { users, repeatsWrites } = this;
    const same = new WorkspaceModel({ users, apiKeys: [], repeatsWrites });
    return Object.assign(same, structuredClone({ ...this }));
  }

  /** Whether both answer every further request alike. */
  answersLike(other: WorkspaceModel): boolean {
    return isDeepStrictEqual(answering(this), answering(other));
  }

  /** Applies a request. @throws Error if the answer is not the one that the model expects */
  apply(request: Request, answer: Answer): void {
    const { operation, user, idempotencyKey } = request;
    const { access, service } = operations[operation];
    if (idempotencyKey === undefined || access === 'read') return this.#apply(request, answer);
    const key = `${service} ${user} ${idempotencyKey}`;
    const input = inputOf(request);
    const stored = this.stored.get(key);
    if (stored && !isDeepStrictEqual(stored.input, input))
      return expectFault(answer, 422, 'idempotency_key_reused');
    if (stored && shownOnce.has(operation))
      return expectFault(answer, 409, 'conflict', existingKeyOf(stored.answer));
    const shown = stored?.answer.body['webhook'] as Webhook | undefined;
    const current = shown && this.webhooks.get(shown.id);
    if (shown && current?.token !== shown.token)
      return expectFault(answer, 409, 'conflict', current?.id);
    if (stored) return expect(answer, stored.answer);
    this.#apply(request, answer);
    const isApplied = shownOnce.has(operation)
      ? existingKeyOf(answer) !== undefined
      : answer.status < 300;
    if (isApplied) this.stored.set(key, { input, answer });
  }

  #apply(request: Request, answer: Answer): void {
    const rule = rules[request.operation];
    if (!rule) throw new Error(`the model has no rule for ${request.operation}`);
    rule(this, request, answer);
  }
}

const answering = (model: WorkspaceModel) => {
  const { contacts, suppressed, definitions, webhooks } = model;
  const { apiKeys, overlapping, revoked, secrets, stored } = model;
  return [
    contacts,
    suppressed,
    definitions,
    webhooks,
    apiKeys,
    overlapping,
    revoked,
    secrets,
    stored,
  ];
};

function inputOf({ operation, id, body }: Request): unknown {
  const { input, resource }: Operation = operations[operation];
  const whole = { ...body, ...(resource && { [resources[resource].idField]: id }) };
  return [operation, input.parse(whole)];
}
