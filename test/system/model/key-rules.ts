import { apiKeyCursor, keyShape, type Scope } from '@roster/contracts';
import {
  byId,
  expect,
  expectFault,
  type Answer,
  type ApiKey,
  type Request,
  type Rule,
  type Rules,
  type WorkspaceState,
} from './workspace-state.js';

/** Rules of API keys. Those that the clients use are neither rotated nor revoked. */
export const keyRules: Rules = {
  'api-keys.create'(model, { user, body }, answer) {
    const { name, scopes } = body as { name: string; scopes: Scope[] };
    const { prefix, createdAt } = (answer.body['apiKey'] ?? {}) as Partial<ApiKey>;
    const id = existingKeyOf(answer) ?? '';
    const userId = model.users[user]!;
    const unset = { expiresAt: null, signInEmail: null };
    const key: ApiKey = { id, prefix, name, scopes, userId, createdAt, ...unset };
    if (!isRepetition(model, answer)) {
      expect(shownIn(answer), { status: 201, body: { apiKey: key } });
      addSecret(model, key, answer);
    }
    if (model.ids.key.includes(id)) throw new Error(`${id} exists already`);
    model.ids.key.push(id);
    model.apiKeys.set(id, key);
  },
  'api-keys.get': onKey((model, key, _, answer) => answerKey(model, key, answer)),
  'api-keys.list'(model, { query }, answer) {
    const { limit, after = '' } = query!;
    const listed = (answer.body['apiKeys'] ?? []) as ApiKey[];
    const keys = [...model.apiKeys.values()].toSorted(byId);
    const rest = keys.filter(({ id }) => apiKeyCursor.of(id) > after);
    const page = rest.slice(0, limit).map((key, at) => withKnown(key, listed[at]));
    const next = rest.length > limit ? apiKeyCursor.of(page.at(-1)!.id) : null;
    const { pagination } = answer.body;
    expect(
      { status: answer.status, body: { apiKeys: listed.map(withoutUse), pagination } },
      { status: 200, body: { apiKeys: page, pagination: { limit, next } } },
    );
    for (const key of page) model.apiKeys.set(key.id, key);
  },
  'api-keys.rotate': onKey((model, key, { body }, answer) => {
    const overlaps = (body!['overlapSeconds'] as number) > 0;
    if (overlaps && model.overlapping.has(key.id)) return expectFault(answer, 409, 'conflict');
    if (!overlaps) endSecrets(model, key.id);
    if (isRepetition(model, answer)) model.apiKeys.set(key.id, { ...key, prefix: undefined });
    else {
      const rotated = { ...key, prefix: undefined };
      answerKey(model, rotated, answer);
      addSecret(model, model.apiKeys.get(key.id)!, answer);
    }
    if (overlaps) model.overlapping.add(key.id);
    else model.overlapping.delete(key.id);
  }),
  'api-keys.delete'(model, { id = '' }, answer) {
    if (!model.ids.key.includes(id)) return expectFault(answer, 404, 'not_found');
    // Also if it is revoked already.
    expect(answer, { status: 200, body: { deleted: true } });
    model.apiKeys.delete(id);
    model.revoked.add(id);
    endSecrets(model, id);
  },
};

/** The ID of the key that was created or rotated, if the answer shows that one was, possibly by an earlier attempt. */
export const existingKeyOf = ({ body }: Answer): string | undefined =>
  (body['apiKey'] as ApiKey | undefined)?.id ?? (body['existingId'] as string | undefined);

/** Whether the request was applied, and repeated because its response was lost: the secret is not shown again. */
function isRepetition({ repeatsWrites }: WorkspaceState, answer: Answer): boolean {
  if (!repeatsWrites || answer.body['existingId'] === undefined) return false;
  expectFault(answer, 409, 'conflict', existingKeyOf(answer));
  return true;
}

function onKey(
  rule: (model: WorkspaceState, key: ApiKey, request: Request, answer: Answer) => void,
): Rule {
  return (model, request, answer) => {
    const key = model.apiKeys.get(request.id!);
    if (key) rule(model, key, request, answer);
    else expectFault(answer, 404, 'not_found');
  };
}

function answerKey(model: WorkspaceState, key: ApiKey, answer: Answer): void {
  const known = withKnown(key, answer.body['apiKey'] as ApiKey | undefined);
  expect(shownIn(answer), { status: 200, body: { apiKey: known } });
  model.apiKeys.set(key.id, known);
}

function addSecret({ secrets }: WorkspaceState, { id, prefix, scopes }: ApiKey, answer: Answer) {
  const secret = String(answer.body['secret']);
  if (!keyShape.test(secret) || !secret.startsWith(prefix!) || secrets.has(secret))
    throw new Error(`generated the secret ${secret} with the prefix ${prefix}`);
  secrets.set(secret, { keyId: id, scopes, isValid: true });
}

function endSecrets({ secrets }: WorkspaceState, keyId: string): void {
  for (const secret of secrets.values()) if (secret.keyId === keyId) secret.isValid = false;
}

/** The key of the answer without its last use, which the model does not know, and without its secret. */
function shownIn({ status, body }: Answer): Answer {
  const { apiKey, secret: _, ...others } = body;
  return { status, body: apiKey ? { ...others, apiKey: withoutUse(apiKey as ApiKey) } : others };
}

export const withoutUse = (key: ApiKey): ApiKey => {
  const { lastUsedAt: _, lastUsedIp: __, ...shown } = key as ApiKey & Record<string, unknown>;
  return shown;
};

const withKnown = (key: ApiKey, shown: Partial<ApiKey> = {}): ApiKey => ({
  ...key,
  prefix: key.prefix ?? shown.prefix,
  createdAt: key.createdAt ?? shown.createdAt,
});
