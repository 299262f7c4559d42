import fc from 'fast-check';
import type { Command, Model, Real } from './command.js';
import { importCommand } from './import-command.js';
import { keyCommands, untilRefused } from './key-commands.js';
import type { WorkspaceModel } from './workspace-model.js';
import { anyTemplate, requestOf, type Template } from './template.js';
import type { Answer, Request } from './workspace-state.js';
/** Requests of several clients at once. Their answers must be those of the requests in some order, one after another. */
class Send implements Command {
  constructor(readonly templates: Template[]) {}

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const { client, executed } = real;
    const isAlone = this.templates.length === 1;
    const requests = this.templates.map((template) => ({
      ...requestOf(template, model.workspaces[0]!),
      isAlone,
    }));
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
    if (explained.length === 0) throw new Error([...new Set(problems)].join('\n'));
    model.workspaces = explained;
    await untilRefused(model, real);
  }

  toString = () =>
    this.templates
      .map(({ operation, user, idempotencyKey, kind, index, body, limit, property }) =>
        [
          operation,
          `user ${user}`,
          idempotencyKey && `key ${idempotencyKey}`,
          kind && `${kind} ${index}`,
          limit && `limit ${limit}`,
          property?.join(' '),
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

/**
 * Whether concurrent requests are answered as in some order: a type that changes between the two statements of another change of
 * types, or of a search, is not.
 */
function haveOneOrder(templates: readonly Template[]): boolean {
  const typing = templates.filter(({ body }) => body && 'type' in body).length;
  const searching = templates.filter(({ property }) => property).length;
  return typing === 0 || (typing === 1 && searching === 0);
}

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
        fc
          .array(template, { minLength: 2, maxLength: 3 })
          .filter(haveOneOrder)
          .map((some) => new Send(some)),
      ),
      importCommand,
      ...keyCommands,
    ],
    { maxCommands: length, size: 'max', disableReplayLog: true },
  );
}
