/** The commands of an operator: workspaces and keys of the running system over NATS, and the schemas of its database. */
import './end-on-signal.js';
import { NatsTrouble } from '@roster/bus';
import {
  Fault,
  type CallInputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  pageMax,
  type Scope,
  programNames,
  scopes,
} from '@roster/contracts';

import { makeAdminKey } from './admin-key.js';
import { workspaceCommands } from './workspace-commands.js';
import { callOperation } from './call-operation.js';
import { type Command, commandFor, readArguments, UsageError } from './command-line.js';
import { readLocalConfig } from './config.js';
import { services } from './database/database-user.js';
import { readDemo } from './demo.js';
import { commandName } from './home.js';
import {
  printKeys,
  printPermissions,
  type NatsConnection,
  operatorConnection,
} from './nats-keys.js';

const calledAs = commandName();
const usage = `Usage:
  ${calledAs} workspace create --name <name> --owner-email <email> --owner-name <name>
  ${calledAs} workspace list [--after <cursor>]
  ${calledAs} workspace get|suspend|resume|delete --id <wksp_…>
  ${calledAs} workspace rename --id <wksp_…> --name <name>
  ${calledAs} workspace set-quotas --id <wksp_…> [--contacts <number>|none] [--requests-per-day <number>|none]
  ${calledAs} workspace usage --id <wksp_…> [--from <day>] [--to <day>]
  ${calledAs} user list --workspace <wksp_…> [--after <cursor>]
  ${calledAs} key create --user <usr_…> --scopes api_user,user [--name <name>] [--expires-at <time>]
  ${calledAs} key list --workspace <wksp_…> [--after <cursor>]
  ${calledAs} key rotate --id <key_…> [--overlap-seconds <seconds>]
  ${calledAs} key revoke --id <key_…>
  ${calledAs} admin-key create
  ${calledAs} nats keys --folder <folder>
  ${calledAs} nats permissions ${programNames.map((name) => `--${name} <U…>`).join(' ')}
  ${calledAs} migrate [contacts] [users] [webhooks] [dispatcher] [--print]
  ${calledAs} postgres roles [--apply]
  ${calledAs} erase ledger
  ${calledAs} erase replay --file <ledger>
  ${calledAs} doctor --cluster
  ${calledAs} verify [--since <time>] [--older-than-seconds <seconds>] [--repair] [--json]
  ${calledAs} --help`;

const commands: Record<string, Command> = {
  ...workspaceCommands(call),
  'key create': {
    options: ['user', 'scopes'],
    optional: ['name', 'expires-at'],
    run: ({ user = '', scopes: list = '', name, 'expires-at': expiresAt }) =>
      call('keys.create', {
        userId: user,
        scopes: readScopes(list),
        ...(name !== undefined && { name }),
        ...(expiresAt !== undefined && { expiresAt }),
      }),
  },
  'key list': {
    options: ['workspace'],
    optional: ['after'],
    run: ({ workspace = '', after }) =>
      call('keys.list', {
        workspaceId: workspace,
        limit: pageMax,
        ...(after !== undefined && { after }),
      }),
  },
  'key rotate': {
    options: ['id'],
    optional: ['overlap-seconds'],
    run: ({ id = '', 'overlap-seconds': overlap }) =>
      call('keys.rotate', {
        keyId: id,
        ...(overlap !== undefined && { overlapSeconds: readSeconds('overlap-seconds', overlap) }),
      }),
  },
  'key revoke': {
    options: ['id'],
    run: ({ id = '' }) => call('keys.revoke', { keyId: id }),
  },
  'admin-key create': {
    options: [],
    run: async () => makeAdminKey(),
  },
  'nats keys': {
    options: ['folder'],
    run: async ({ folder = '' }) => new Printed(printKeys(folder)),
  },
  'nats permissions': {
    options: programNames,
    run: async (keys) => new Printed(printPermissions(keys)),
  },
  migrate: {
    options: [],
    accepts: { names: services, flags: ['print'] },
    run: async (_, { names, flags }) => {
      // Loaded on demand: other commands do not use PostgreSQL's client, which is slow to load.
      const { migrate, MigrationError, printMigrations } = await import('./database/migrate.js');
      const selected = services.filter((name) => names.length === 0 || names.includes(name));
      if (flags.includes('print'))
        return new Printed(await printMigrations(databaseUrl(), selected));
      const url = requireDatabaseUrl();
      try {
        return await migrate(url, selected);
      } catch (error) {
        if (!(error instanceof MigrationError)) throw error;
        return new Incomplete(error.applied, error.message);
      }
    },
  },
  'erase ledger': {
    options: [],
    run: async () => {
      const { printLedger } = await import('./database/erasures.js');
      return new Printed(await printLedger(requireDatabaseUrl()));
    },
  },
  'erase replay': {
    options: ['file'],
    run: async ({ file = '' }) => {
      const { replayLedger } = await import('./database/erasures.js');
      return replayLedger(requireDatabaseUrl(), file);
    },
  },
  doctor: {
    options: [],
    accepts: { names: [], flags: ['cluster'] },
    run: async () => {
      const { checkCluster, printChecks } = await import('./check-cluster.js');
      const checks = await checkCluster(connection());
      return new Printed(printChecks(checks), checks.every(({ isMet }) => isMet) ? 0 : 1);
    },
  },
  verify: {
    options: [],
    optional: ['since', 'older-than-seconds'],
    accepts: { names: [], flags: ['repair', 'json'] },
    run: async ({ since, 'older-than-seconds': olderThan = '60' }, { flags }) => {
      const { isWhole, printVerified, verify } = await import('./verify.js');
      const report = await verify(connection(), {
        since: readTime('since', since ?? new Date(Date.now() - dayMs).toISOString()),
        olderThanSeconds: readSeconds('older-than-seconds', olderThan),
        repair: flags.includes('repair'),
      });
      const text = flags.includes('json') ? JSON.stringify(report) : printVerified(report);
      return new Printed(text, isWhole(report) ? 0 : 1);
    },
  },
  'postgres roles': {
    options: [],
    accepts: { names: [], flags: ['apply'] },
    run: async (_, { flags }) => {
      const { createRoles, printRoles } = await import('./database/roles.js');
      return flags.includes('apply') ? createRoles() : new Printed(printRoles());
    },
  },
};

/** Text that is printed unchanged, not as JSON. */
class Printed {
  readonly text: string;
  readonly exitCode: number;

  constructor(text: string, exitCode = 0) {
    this.text = text;
    this.exitCode = exitCode;
  }
}

/** Results of the steps before a failure. */
class Incomplete {
  readonly done: Readonly<Record<string, unknown>>;
  readonly problem: string;

  constructor(done: Readonly<Record<string, unknown>>, problem: string) {
    this.done = done;
    this.problem = problem;
  }
}

/** Runs a command, and resolves with its exit code. */
export async function runOperator(args: string[]): Promise<number> {
  try {
    const { help, name, options, extras } = readArguments(args, commands);
    if (help) {
      console.log(usage);
      return 0;
    }
    const result = await commandFor(commands, name, options, extras).run(options, extras);
    if (result instanceof Incomplete) {
      if (Object.keys(result.done).length > 0) console.log(JSON.stringify(result.done));
      console.error(result.problem);
      return 1;
    }
    console.log(result instanceof Printed ? result.text.trimEnd() : JSON.stringify(result));
    return result instanceof Printed ? result.exitCode : 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    console.error(describe(error));
    return 1;
  }
}

function readScopes(list: string): Scope[] {
  const given = list.split(',').map((scope) => scope.trim());
  const unknown = given.filter((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new UsageError(`--scopes accepts ${scopes.join(', ')}, not "${unknown.join(', ')}".`);
  return given as Scope[];
}

function readSeconds(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be a whole number of seconds, not "${text}".`);
}

const dayMs = 86_400_000;

function readTime(option: string, text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new UsageError(`--${option} must be an ISO 8601 time, not "${text}".`);
  return new Date(ms).toISOString();
}

function call<Name extends OperationName>(
  name: Name,
  input: CallInputOf<Operations[Name]>,
): Promise<OutputOf<Operations[Name]>> {
  return callOperation(connection(), name, input);
}

function connection(): NatsConnection {
  const config = readLocalConfig();
  const { NATS_URL, natsKeys, files, home } = config;
  const nats = NATS_URL ? { natsUrl: NATS_URL, natsKeys } : readDemo(files.demo);
  if (!nats)
    throw new Error(`Roster is not running on ${home}. Start it with npm start, or set NATS_URL.`);
  return operatorConnection(nats, config);
}

function databaseUrl(): string | undefined {
  const { databaseUrls, DATABASE_URL, files } = readLocalConfig();
  return databaseUrls.migrate ?? DATABASE_URL ?? readDemo(files.demo)?.databaseUrl;
}

function requireDatabaseUrl(): string {
  const url = databaseUrl();
  if (url !== undefined) return url;
  throw new Error('DATABASE_URL is missing: set it to postgres://user:password@host:port/database');
}

function describe(error: unknown): string {
  if (error instanceof NatsTrouble)
    return `${error.variable}: ${error.message} Nothing was applied.`;
  if (error instanceof Fault) {
    const details =
      error.details.errors?.map(({ pointer, message }) => ` ${pointer}: ${message}`).join(';') ??
      '';
    return `${error.code}: ${error.message}${details}`;
  }
  return (error as Error).message;
}
