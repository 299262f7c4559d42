import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  encodeId,
  operations,
  requiresNaming,
  scopesOf,
  tokenShape,
  type Operation,
  type OperationName,
  type Scope,
} from '@roster/contracts';
import { eventually } from '@roster/testing';
import type { Command, Model, Real, Token } from './command.js';
import type { WorkspaceModel } from './workspace-model.js';

const noContact = encodeId('contact', '00000000-0000-7000-8000-000000000000');

/** Uses a secret, which may no longer be valid. */
class UseKey implements Command {
  constructor(readonly index: number) {}
  check = ({ workspaces }: Readonly<Model>) => workspaces[0]!.secrets.size > 0;
  async run(model: Model, { client, executed }: Real): Promise<void> {
    const secret = secretAt(model, this.index);
    const { status } = await client.sendAs(secret, { operation: 'webhooks.list' });
    executed(1);
    explain(model, status, (workspace) => {
      const { isValid, scopes } = workspace.secrets.get(secret)!;
      return isValid ? (scopes.includes('api_user') ? 200 : 403) : 401;
    });
  }
  toString = () => `use key ${this.index}`;
}

type TokenRequest = Partial<Pick<Token, 'readOnly'>> & { scopes?: Scope[]; operations?: string[] };

class CreateToken implements Command {
  constructor(
    readonly index: number,
    readonly body: TokenRequest,
  ) {}
  check = ({ workspaces }: Readonly<Model>) => workspaces[0]!.secrets.size > 0;
  async run(model: Model, { client, executed }: Real): Promise<void> {
    const { body } = this;
    const secret = secretAt(model, this.index);
    const answer = await client.sendAs(secret, { operation: 'tokens.create', body: { ...body } });
    executed(1);
    const { keyId, scopes: held } = model.workspaces[0]!.secrets.get(secret)!;
    const { scopes = held, readOnly = false, operations: names = null } = body;
    explain(model, answer.status, (workspace) => {
      if (!workspace.secrets.get(secret)!.isValid) return 401;
      return scopes.every((scope) => held.includes(scope)) ? 201 : 422;
    });
    if (answer.status !== 201) return;
    const {
      secret: token,
      expiresAt: _,
      ...limits
    } = answer.body['token'] as Record<string, unknown>;
    const allowed = { scopes, readOnly, operations: names };
    if (!tokenShape.test(String(token)) || !isDeepStrictEqual(limits, allowed))
      throw new Error(
        `expected a token with ${JSON.stringify(allowed)}, not ${JSON.stringify(limits)}`,
      );
    model.tokens.push({ secret: String(token), keyId, ...allowed });
  }
  toString = () => `tokens.create with key ${this.index} ${JSON.stringify(this.body)}`;
}

/** Operations that tokens are used for, and the status of a request that is allowed. */
const uses = {
  'contacts.get': 404,
  'contacts.delete': 404,
  'users.me': 200,
  'api-keys.list': 200,
} satisfies Partial<Record<OperationName, number>>;

class UseToken implements Command {
  constructor(
    readonly index: number,
    readonly operation: keyof typeof uses,
  ) {}
  check = ({ tokens }: Readonly<Model>) => tokens.length > 0;
  async run(model: Model, { client, executed }: Real): Promise<void> {
    const { operation } = this;
    const token = model.tokens[this.index % model.tokens.length]!;
    const { status } = await client.sendAs(token.secret, { operation, id: noContact });
    executed(1);
    explain(model, status, ({ revoked }) => {
      if (revoked.has(token.keyId)) return 401;
      return isAllowed(token, operation) ? uses[operation] : 403;
    });
  }
  toString = () => `use token ${this.index} for ${this.operation}`;
}

function isAllowed({ scopes, readOnly, operations: names }: Token, name: OperationName): boolean {
  const operation: Operation = operations[name];
  const { access, requiresKey } = operation;
  if (requiresKey || !scopesOf(operation).every((scope) => scopes.includes(scope))) return false;
  const isNamed = names === null ? !requiresNaming(operation) : names.includes(name);
  return !(readOnly && access === 'write') && isNamed;
}

/** Waits until secrets and tokens that ended with the last requests are refused: within a second, while nothing fails. */
export async function untilRefused(model: Model, { client }: Real): Promise<void> {
  const { workspaces, tokens, refused } = model;
  const [first] = workspaces;
  const ended = [
    ...[...first!.secrets.keys()].filter((secret) =>
      workspaces.every(({ secrets }) => !secrets.get(secret)!.isValid),
    ),
    ...tokens
      .filter(({ keyId }) => workspaces.every(({ revoked }) => revoked.has(keyId)))
      .map(({ secret }) => secret),
  ];
  for (const secret of ended) {
    if (refused.has(secret)) continue;
    await eventually(
      async () => (await client.sendAs(secret, { operation: 'webhooks.list' })).status === 401,
      { describe: 'the rejection of a secret that is no longer valid' },
    );
    refused.add(secret);
  }
}

const secretAt = ({ workspaces }: Model, index: number): string => {
  const secrets = [...workspaces[0]!.secrets.keys()];
  return secrets[index % secrets.length]!;
};

/** Keeps the states in which this status is expected. */
function explain(model: Model, status: number, expected: (workspace: WorkspaceModel) => number) {
  const explained = model.workspaces.filter((workspace) => expected(workspace) === status);
  if (explained.length === 0)
    throw new Error(`answered ${status}, not ${expected(model.workspaces[0]!)}`);
  model.workspaces = explained;
}

const index = fc.nat(9);
const scopes = fc.constantFrom<Scope[][]>(['api_user'], ['user'], ['api_user', 'user']);
const limited = fc.constantFrom<string[][]>(['contacts.get'], ['contacts.delete', 'users.me']);
const tokenRequest = fc.record(
  { scopes, readOnly: fc.boolean(), operations: limited },
  { requiredKeys: [] },
);

export const keyCommands: fc.Arbitrary<Command>[] = [
  index.map((at) => new UseKey(at)),
  fc.tuple(index, tokenRequest).map(([at, body]) => new CreateToken(at, body)),
  fc
    .tuple(index, fc.constantFrom(...(Object.keys(uses) as (keyof typeof uses)[])))
    .map(([at, operation]) => new UseToken(at, operation)),
];
