import fc from 'fast-check';
import { encodeId, type OperationName } from '@roster/contracts';
import type { WorkspaceModel } from './workspace-model.js';
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

/** A request whose IDs and cursors are chosen when it is sent, by index. */
interface Template {
  operation: OperationName;
  user: number;
  idempotencyKey: string | undefined;
  kind?: 'contact' | 'contactProperty' | 'webhook';
  index: number;
  body?: Record<string, unknown>;
  limit?: number;
}

function requestOf({ kind, index, limit, ...request }: Template, { ids }: WorkspaceModel): Request {
  const chosen = kind && ids[kind][index % (ids[kind].length + 1)];
  // One index more than there are IDs stands for an unknown one.
  const id = kind && (chosen ?? encodeId(kind, '00000000-0000-7000-8000-000000000000'));
  if (limit === undefined) return { ...request, id };
  return { ...request, query: { limit, ...(chosen && { after: chosen.slice('cont_'.length) }) } };
}

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

const email = fc
  .constantFrom('ada', 'Ada', 'bob', 'eve', 'joe', 'JOE')
  .map((name) => `${name}@example.com`);
const name = fc.constantFrom('', 'Ada', 'Ünï "quoted"');
const tags = fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 });
const propertyName = fc.constantFrom('city', 'plan', 'constructor');
const value = fc.constantFrom('x', '', 'Λ');
const contactBody = {
  name,
  tags,
  properties: fc.dictionary(propertyName, value, { noNullPrototype: true, maxKeys: 2 }),
};
const update = fc
  .record(
    {
      ...contactBody,
      email,
      properties: fc.dictionary(propertyName, fc.option(value), {
        noNullPrototype: true,
        maxKeys: 2,
      }),
    },
    { requiredKeys: [] },
  )
  .filter((body) => Object.keys(body).length > 0);
const url = fc.constantFrom('https://example.com/a', 'https://example.com/b');
const token = fc.constantFrom('first-token', 'second-token');
// No delivery is sent during the test: an attempt would change the status of the webhook.
const events = fc.constant(['WORKSPACE_TEAM_MEMBER_JOINED']);
const label = fc.constantFrom('City', 'Plan');

const of = (kind: Template['kind'], body: fc.Arbitrary<object> = fc.constant({})) => ({
  kind,
  body,
});
const templates: [
  number,
  OperationName,
  { kind?: Template['kind']; body?: fc.Arbitrary<object>; limit?: true },
][] = [
  [
    8,
    'contacts.create',
    { body: fc.record({ email, ...contactBody }, { requiredKeys: ['email'] }) },
  ],
  [3, 'contacts.get', { kind: 'contact' }],
  [6, 'contacts.update', of('contact', update)],
  [4, 'contacts.delete', { kind: 'contact' }],
  [2, 'contacts.unsubscribe', of('contact')],
  [2, 'contacts.resubscribe', of('contact')],
  [4, 'contacts.list', { kind: 'contact', limit: true }],
  [2, 'contact-properties.create', { body: fc.record({ name: propertyName, label }) }],
  [2, 'contact-properties.update', of('contactProperty', fc.record({ label }))],
  [2, 'contact-properties.delete', { kind: 'contactProperty' }],
  [2, 'contact-properties.list', {}],
  [
    3,
    'webhooks.create',
    { body: fc.record({ url, events, token }, { requiredKeys: ['url', 'events'] }) },
  ],
  [2, 'webhooks.get', { kind: 'webhook' }],
  [2, 'webhooks.update', of('webhook', fc.record({ url }))],
  [2, 'webhooks.enable', of('webhook')],
  [2, 'webhooks.disable', of('webhook')],
  [2, 'webhooks.rotate-token', of('webhook', fc.record({ token }, { requiredKeys: [] }))],
  [2, 'webhooks.delete', { kind: 'webhook' }],
  [2, 'webhooks.list', {}],
];

const template = fc.oneof(
  ...templates.map(([weight, operation, { kind, body, limit }]) => ({
    weight,
    arbitrary: fc
      .record({
        operation: fc.constant(operation),
        user: fc.nat(1),
        idempotencyKey: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined, freq: 3 }),
        index: fc.nat(9),
        ...(kind && { kind: fc.constant(kind) }),
        ...(body && { body }),
        ...(limit && { limit: fc.integer({ min: 1, max: 3 }) }),
      })
      .map((fields) => fields as Template),
  })),
);

const scopes = fc.constantFrom<ApiKey['scopes'][]>(['api_user'], ['user'], ['api_user', 'user']);

/** Sequences of commands for one workspace. */
export const commands = (length: number) =>
  fc.commands<Model, Real, false>(
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
