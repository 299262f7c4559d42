/** `npm run roster -- …`: workspaces and keys, asked of the running system over NATS. */
import { parseArgs } from 'node:util';

import {
  Fault,
  type CallInputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  type Scope,
  scopes,
} from '@roster/contracts';

import { askRoster, NotRunning } from './ask-roster.js';
import { readLocalConfig } from './config.js';
import { readDemo } from './demo.js';

const usage = `Usage:
  npm run --silent roster -- workspace create --name <name> --owner-email <email> --owner-name <name>
  npm run --silent roster -- key create --user <usr_…> --scopes api_user,user
  npm run --silent roster -- key revoke --id <key_…>
  npm run --silent roster -- --help`;

interface Command {
  options: readonly string[];
  run(options: Record<string, string>): Promise<unknown>;
}

const commands: Record<string, Command> = {
  'workspace create': {
    options: ['name', 'owner-email', 'owner-name'],
    run: ({ name = '', 'owner-email': ownerEmail = '', 'owner-name': ownerName = '' }) =>
      ask('workspaces.create', { name, ownerEmail, ownerName }),
  },
  'key create': {
    options: ['user', 'scopes'],
    run: ({ user = '', scopes: list = '' }) =>
      ask('keys.create', { userId: user, scopes: readScopes(list) }),
  },
  'key revoke': {
    options: ['id'],
    run: ({ id = '' }) => ask('keys.revoke', { keyId: id }),
  },
};

/** The command line is not right. */
class UsageError extends Error {
  override name = 'UsageError';
}

process.exitCode = await main(process.argv.slice(2));
// The channel to the process that started this one would keep it alive.
if (process.connected) process.disconnect();

async function main(args: string[]): Promise<number> {
  try {
    const { help, name, options } = readArguments(args);
    if (help) {
      console.log(usage);
      return 0;
    }
    console.log(JSON.stringify(await commandFor(name, options).run(options)));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    console.error(describe(error));
    return 1;
  }
}

function commandFor(name: string, given: Record<string, string>): Command {
  const command = commands[name];
  if (!command)
    throw new UsageError(name ? `There is no command "${name}".` : 'A command is missing.');

  const missing = command.options.filter((option) => !given[option]);
  const unknown = Object.keys(given).filter((option) => !command.options.includes(option));
  if (missing.length > 0)
    throw new UsageError(`${name} needs ${missing.map((option) => `--${option}`).join(', ')}.`);
  if (unknown.length > 0)
    throw new UsageError(`${name} takes no ${unknown.map((option) => `--${option}`).join(', ')}.`);
  return command;
}

function readArguments(args: string[]) {
  const names = Object.values(commands).flatMap(({ options }) => options);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const));
  try {
    const { positionals, values } = parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const { help, ...given } = values;
    return {
      help: help === true,
      name: positionals.join(' '),
      options: given as Record<string, string>,
    };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readScopes(list: string): Scope[] {
  const asked = list.split(',').map((scope) => scope.trim());
  const wrong = asked.filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (wrong.length > 0)
    throw new UsageError(`--scopes takes ${scopes.join(', ')}, not "${wrong.join(', ')}".`);
  return asked as Scope[];
}

function ask<Name extends OperationName>(
  name: Name,
  input: CallInputOf<Operations[Name]>,
): Promise<OutputOf<Operations[Name]>> {
  return askRoster(natsUrl(), name, input);
}

function natsUrl(): string {
  const { NATS_URL, files, home } = readLocalConfig();
  const url = NATS_URL ?? readDemo(files.demo)?.natsUrl;
  if (!url) throw new NotRunning(`Roster does not run on ${home}.`);
  return url;
}

function describe(error: unknown): string {
  if (error instanceof NotRunning)
    return `${error.message} Start it with npm start, or name its NATS with NATS_URL.`;
  if (error instanceof Fault) {
    const details =
      error.details.errors?.map(({ pointer, message }) => ` ${pointer}: ${message}`).join(';') ??
      '';
    return `${error.code}: ${error.message}${details}`;
  }
  return (error as Error).message;
}
