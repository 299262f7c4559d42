import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';

import type { Run } from './context.js';
import { exitCodes, Interrupted, UsageError, type ExitCode } from './failure.js';
import { describeGlobalOptions, optionsWithValue, type GlobalOptions } from './global-options.js';
import { version } from './version.js';

/** A command with those below it. Its module is loaded when it is called, so that a start takes milliseconds. */
interface Group {
  summary: string;
  heading: string;
  load(run: Run): Promise<CommandUnknownOpts>;
}

export interface ProgramOptions {
  /** How the program is called, shown in the usage. */
  name?: string;
  /** Folder of a system that `npm start` runs, whose profile is the default one. */
  home?: string;
  /** Commands with arguments and output of their own. */
  operator?: Operator;
}

/** The commands of an operator, which do not use HTTP. */
export interface Operator {
  summaries: Readonly<Record<string, string>>;
  run(args: string[]): Promise<number>;
}

const account = 'Profiles:';
const contacts = 'Contacts:';
const webhooks = 'Webhooks and events:';
const workspace = 'Workspace:';

/** The commands that use HTTP. */
const groups: Readonly<Record<string, Group>> = {
  login: {
    summary: 'store a URL and an API key as a profile',
    heading: account,
    load: async (run) => (await import('./commands/login.js')).login(run),
  },
  logout: {
    summary: 'remove a profile',
    heading: account,
    load: async (run) => (await import('./commands/logout.js')).logout(run),
  },
  profiles: {
    summary: 'list the stored profiles, or choose the default one',
    heading: account,
    load: async (run) => (await import('./commands/profiles.js')).profiles(run),
  },
  whoami: {
    summary: 'show the workspace, user and scopes of the key in use',
    heading: account,
    load: async (run) => (await import('./commands/whoami.js')).whoami(run),
  },
  doctor: {
    summary: 'check link, clock, versions and key, and suggest remedies',
    heading: account,
    load: async (run) => (await import('./commands/doctor.js')).doctor(run),
  },
  contacts: {
    summary:
      'list, get, create, update, delete, tag, unsubscribe, resubscribe, act, import, export',
    heading: contacts,
    load: async (run) => (await import('./commands/contacts.js')).contacts(run),
  },
  actions: {
    summary: 'list, get, cancel',
    heading: contacts,
    load: async (run) => (await import('./commands/actions.js')).actions(run),
  },
  imports: {
    summary: 'list, get, errors, cancel',
    heading: contacts,
    load: async (run) => (await import('./commands/imports.js')).imports(run),
  },
  properties: {
    summary: 'list, get, create, update, delete',
    heading: contacts,
    load: async (run) => (await import('./commands/properties.js')).properties(run),
  },
  tags: {
    summary: 'list, rename, delete',
    heading: contacts,
    load: async (run) => (await import('./commands/tags.js')).tags(run),
  },
  suppressions: {
    summary: 'list, add, delete, import',
    heading: contacts,
    load: async (run) => (await import('./commands/suppressions.js')).suppressions(run),
  },
  webhooks: {
    summary: 'list, get, create, update, rotate, test, health, enable, disable, delete',
    heading: webhooks,
    load: async (run) => (await import('./commands/webhooks.js')).webhooks(run),
  },
  deliveries: {
    summary: 'list, get, retry, tail',
    heading: webhooks,
    load: async (run) => (await import('./commands/deliveries.js')).deliveries(run),
  },
  listen: {
    summary: 'send events to a handler on this machine, signed, without a public address',
    heading: webhooks,
    load: async (run) => (await import('./commands/listen.js')).listen(run),
  },
  trigger: {
    summary: 'make a real change, so that an event of a kind is published',
    heading: webhooks,
    load: async (run) => (await import('./commands/trigger.js')).trigger(run),
  },
  events: {
    summary: 'list, get, tail, resend',
    heading: webhooks,
    load: async (run) => (await import('./commands/events.js')).events(run),
  },
  replays: {
    summary: 'list, create, get, cancel',
    heading: webhooks,
    load: async (run) => (await import('./commands/replays.js')).replays(run),
  },
  keys: {
    summary: 'list, create, rotate, revoke',
    heading: workspace,
    load: async (run) => (await import('./commands/keys.js')).keys(run),
  },
  tokens: {
    summary: 'create',
    heading: workspace,
    load: async (run) => (await import('./commands/tokens.js')).tokens(run),
  },
  origins: {
    summary: 'list, set',
    heading: workspace,
    load: async (run) => (await import('./commands/origins.js')).origins(run),
  },
  settings: {
    summary: 'get, set',
    heading: workspace,
    load: async (run) => (await import('./commands/settings.js')).settings(run),
  },
  users: {
    summary: 'list, get, create, delete',
    heading: workspace,
    load: async (run) => (await import('./commands/users.js')).users(run),
  },
  audit: {
    summary: 'list',
    heading: workspace,
    load: async (run) => (await import('./commands/audit.js')).audit(run),
  },
  console: {
    summary: 'link',
    heading: workspace,
    load: async (run) => (await import('./commands/console.js')).consoleCommands(run),
  },
  open: {
    summary: 'open the pages console, docs and graphql',
    heading: workspace,
    load: async (run) => (await import('./commands/open.js')).open(run),
  },
};

/**
 * Runs a command line.
 *
 * @param args without the names of Node and the script
 * @returns the exit code
 */
export async function runProgram(given: string[], options: ProgramOptions = {}): Promise<number> {
  // A reader may close the pipe, as `head` does. Output that matters is checked where it is written.
  process.stdout.on('error', () => {});
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const { operator } = options;
  if (operator && isOperators(args, operator)) return operator.run(args);
  const signal = onSignals();
  try {
    refuseKeys(args);
    let exitCode: ExitCode = exitCodes.ok;
    const program = await createProgram(
      args,
      (handle) =>
        async (...args) => {
          const { openContext } = await import('./context.js');
          const command = args.at(-1) as CommandUnknownOpts;
          const home = options.home ?? process.env['ROSTER_HOME'];
          const context = openContext(command.optsWithGlobals() as GlobalOptions, { home, signal });
          exitCode = (await handle(context, ...args)) ?? exitCodes.ok;
          await context.output.flush();
        },
      options,
    );
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed the help, or what is wrong.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { describeFailure } = await import('./describe-failure.js');
    const { text, exitCode } = describeFailure(error);
    process.stderr.write(`${text}\n`);
    // An input that is not read further would keep the process alive.
    process.stdin.destroy();
    return exitCode;
  }
}

/** `doctor` checks this machine and its link over HTTP, and with `--cluster` the processes. */
const isOperators = ([name = '', ...options]: readonly string[], { summaries }: Operator) =>
  Object.hasOwn(summaries, name) || (name === 'doctor' && options.includes('--cluster'));

/** The program. Only the command that the arguments name is complete, the others have a summary. */
export async function createProgram(
  args: readonly string[],
  run: Run,
  { name = 'roster', operator }: ProgramOptions = {},
): Promise<CommandUnknownOpts> {
  const program = describeGlobalOptions(new Command(name))
    .description('The command line of Roster. Commands use HTTP, except those of an operator.')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .exitOverride();
  const named = nameOfGroup(args);
  const isComplete = named === 'completion' || named === 'complete';
  for (const [name, { summary, heading, load }] of Object.entries(groups)) {
    const command = isComplete || name === named ? await load(run) : new Command(name);
    program.addCommand(command.summary(summary).helpGroup(heading));
  }
  for (const [name, summary] of Object.entries(operator?.summaries ?? {}))
    program.addCommand(new Command(name).summary(summary).helpGroup("Operator's commands:"));
  if (isComplete) {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    tab(program as never, { completionCommandName: 'completion' });
  } else
    program.addCommand(
      new Command('completion')
        .summary('print the completion script of a shell')
        .helpGroup(account),
    );
  inheritSettings(program);
  return program;
}

/** The first argument that is neither an option nor the value of one. */
const nameOfGroup = (args: readonly string[]): string | undefined =>
  args.find((arg, at) => !arg.startsWith('-') && !optionsWithValue.includes(args[at - 1] ?? ''));

/** A key as an argument could be read by every account of the machine, and stays in the history of the shell. */
function refuseKeys(args: readonly string[]): void {
  if (args.some((arg) => /(?:^|=)rs[kt]_/.test(arg)))
    throw new UsageError(
      'A key must not be an argument: other accounts can read the list of processes. Run `roster login`, set ROSTER_API_KEY, or pass --api-key-file.',
    );
}

function inheritSettings(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inheritSettings(command);
  }
}

/** How long a command may take to end after a signal. */
const endMs = 2000;

/** Aborted by the first signal. A second one ends the process without waiting. */
function onSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      const reason = new Interrupted(name);
      if (controller.signal.aborted) process.exit(reason.exitCode);
      controller.abort(reason);
      setTimeout(() => process.exit(reason.exitCode), endMs).unref();
    });
  return controller.signal;
}
