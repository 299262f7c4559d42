import { parseArgs } from 'node:util';

/** A command of `roster`. */
export interface Command {
  /** Required options. */
  options: readonly string[];
  optional?: readonly string[];
  /** Positional arguments and options. */
  accepts?: { names: readonly string[]; flags: readonly string[] };
  run(options: Record<string, string>, extras: Extras): Promise<unknown>;
}

export interface Extras {
  names: readonly string[];
  flags: readonly string[];
}

export type Commands = Readonly<Record<string, Command>>;

/** The command line is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * The command of that name.
 *
 * @throws UsageError if it does not exist, or does not accept what is given
 */
export function commandFor(
  commands: Commands,
  name: string,
  given: Record<string, string>,
  extras: Extras,
): Command {
  const command = commands[name];
  if (!command) throw new UsageError(name ? `Unknown command "${name}".` : 'Missing command.');

  const { options, optional = [], accepts = { names: [], flags: [] } } = command;
  const missing = options.filter((option) => !given[option]);
  const unknown = [
    ...Object.keys(given).filter((option) => ![...options, ...optional].includes(option)),
    ...extras.flags.filter((flag) => !accepts.flags.includes(flag)),
  ];
  const unexpected = extras.names.filter((extra) => !accepts.names.includes(extra));
  if (missing.length > 0)
    throw new UsageError(`${name} requires ${missing.map((option) => `--${option}`).join(', ')}.`);
  if (unknown.length > 0)
    throw new UsageError(
      `${name} does not accept ${unknown.map((option) => `--${option}`).join(', ')}.`,
    );
  if (unexpected.length > 0)
    throw new UsageError(
      `${name} accepts ${accepts.names.join(', ')}, not "${unexpected.join(' ')}".`,
    );
  return command;
}

/** @throws UsageError for options that no command has */
export function readArguments(args: string[], commands: Commands) {
  const all = Object.values(commands);
  const options = Object.fromEntries([
    ...all.flatMap(({ options: names, optional = [] }) =>
      [...names, ...optional].map((name) => [name, { type: 'string' }] as const),
    ),
    ...all.flatMap(({ accepts }) =>
      (accepts?.flags ?? []).map((name) => [name, { type: 'boolean' }] as const),
    ),
  ]);
  try {
    const { positionals, values } = parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const { help, ...given } = values as Record<string, string | boolean>;
    const [first = ''] = positionals;
    const acceptsNames = commands[first]?.accepts !== undefined;
    return {
      help: help === true,
      name: acceptsNames ? first : positionals.join(' '),
      options: Object.fromEntries(
        Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== true),
      ),
      extras: {
        names: acceptsNames ? positionals.slice(1) : [],
        flags: Object.keys(given).filter((name) => given[name] === true),
      },
    };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
