import fc from 'fast-check';
import type { WorkspaceModel } from './workspace-model.js';
import { anyTemplate, requestOf, type Template } from './template.js';
import type { Answer, Request } from './workspace-state.js';
import type { ApiKey, WorkspaceClient } from './workspace-client.js';

export interface Model {
  /** The states that explain all answers so far: concurrent requests may have two orders with the same answers. */
  workspaces: WorkspaceModel[];
  keys: (ApiKey & { isRevoked: boolean })[];
}

/** The real system: the clients of one workspace. */
export interface Real {
  client: WorkspaceClient;
  executed(count: number): void;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Requests of several clients at once. Their answers must be those of the requests in some order, one after another. */
class Send implements Command {
  constructor(readonly templates: Template[]) {}

  check = () => true;

  async run(model: Model, { client, executed }: Real): Promise<void> {
    const requests = this.templates.map((template) => requestOf(template, model.workspaces[0]!));
    const answers = await Promise.all(requests.map((request) => client.send(request)));
    executed(requests.length);
    const problems: string[] = [];
    const explained: WorkspaceModel[] = [];
    const orders = permutations(
      requests.map((request, index) => [request, answers[index]!] as const),
    );
    for (const workspace of model.workspaces) {
      for (const order of orders) {
        const next = workspace.clone();
        const problem = problemOf(next, order);
        if (problem !== undefined) problems.push(problem);
        else if (!explained.some((other) => other.answersLike(next))) explained.push(next);
      }
    }
    model.workspaces = explained;
    if (explained.length > 0) return;
    throw new Error([...new Set(problems)].join('\n'));
  }

  toString = () =>
    this.templates
      .map(({ operation, user, idempotencyKey, kind, index, body, limit }) =>
        [
          operation,
          `user ${user}`,
          idempotencyKey && `key ${idempotencyKey}`,
          kind && `${kind} ${index}`,
          limit && `limit ${limit}`,
          body && JSON.stringify(body),
        ]
          .filter(Boolean)
          .join(' '),
      )
      .join(' | ');
}

function problemOf(
  model: WorkspaceModel,
  order: (readonly [Request, Answer])[],
): string | undefined {
  for (const [request, answer] of order) {
    try {
      model.apply(request, answer);
    } catch (error) {
      return `${JSON.stringify(request)}: ${(error as Error).message}`;
    }
  }
  return undefined;
}

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

class CreateKey implements Command {
  constructor(
    readonly user: number,
    readonly scopes: ApiKey['scopes'],
  ) {}
  check = () => true;
  async run({ keys }: Model, { client, executed }: Real): Promise<void> {
    keys.push({ ...(await client.createKey(this.user, this.scopes)), isRevoked: false });
    executed(1);
  }
  toString = () => `keys.create user ${this.user} ${this.scopes.join(' ')}`;
}

class UseKey implements Command {
  constructor(readonly index: number) {}
  check = ({ keys }: Readonly<Model>) => keys.length > 0;
  async run({ keys }: Model, { client, executed }: Real): Promise<void> {
    const key = keys[this.index % keys.length]!;
    const expected = key.isRevoked ? 401 : key.scopes.includes('api_user') ? 200 : 403;
    const status = await client.statusWith(key);
    executed(1);
    if (status !== expected)
      throw new Error(`a request with the key was answered ${status}, not ${expected}`);
  }
  toString = () => `use key ${this.index}`;
}

class RevokeKey implements Command {
  constructor(readonly index: number) {}
  check = ({ keys }: Readonly<Model>) => keys.length > 0;
  async run({ keys }: Model, { client, executed }: Real): Promise<void> {
    const key = keys[this.index % keys.length]!;
    await client.revokeKey(key);
    key.isRevoked = true;
    executed(1);
  }
  toString = () => `keys.revoke ${this.index}`;
}

const scopes = fc.constantFrom<ApiKey['scopes'][]>(['api_user'], ['user'], ['api_user', 'user']);

/**
 * Sequences of commands for one workspace.
 *
 * @param receiver accepts every delivery: a failed attempt would change the status of its webhook
 */
export function commands(length: number, receiver: string) {
  const template = anyTemplate(fc.constantFrom(`${receiver}/a`, `${receiver}/b`));
  return fc.commands<Model, Real, false>(
    [
      ...Array.from({ length: 8 }, () => template.map((one) => new Send([one]))),
      ...Array.from({ length: 4 }, () =>
        fc.array(template, { minLength: 2, maxLength: 3 }).map((some) => new Send(some)),
      ),
      fc.tuple(fc.nat(1), scopes).map(([user, own]) => new CreateKey(user, own)),
      fc.nat(9).map((index) => new UseKey(index)),
      fc.nat(9).map((index) => new RevokeKey(index)),
    ],
    { maxCommands: length, size: 'max', disableReplayLog: true },
  );
}
