/** `npm start`: PostgreSQL, NATS and every process of Roster on this machine, until it is stopped. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

import { serverUsers } from '@roster/bus';
import { startNats, startPostgres } from '@roster/embedded';

import { takeLock } from '#lock';

import { type LocalConfig, readLocalConfig } from './config.js';
import {
  forEachUser,
  urlVariable,
  type DatabaseUrls,
  embeddedUrls,
} from './database/database-user.js';
import { consoleLines, consoleUrl, openForPerson } from './console-link.js';
import { openDemoWorkspace, removeDemo, writeDemo, writeProfile, welcome } from './demo.js';
import { embeddedPart, type Part } from './supervision/part.js';
import { waitForFreePort } from './free-port.js';
import { makePrivate, readIfThere, writePrivateFile } from './private-file.js';
import { openKeys, operatorConnection } from './nats-keys.js';
import { addressFor, type Backing, bundleOf, gateway, services } from './services.js';
import { compileCache } from './supervision/node-process.js';
import { Supervisor } from './supervision/supervisor.js';

/** Processes left by a crash stop within this time without intervention. */
const afterCrashMs = 4_000;

const shutdownSteps: (() => unknown)[] = [];
let stopping = false;

process.stdout.on('error', () => {}); // The reader may have closed the pipe.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void stop('Stopping…', 0));
process.on('disconnect', () => void stop('Stopping…', 0));
process.on('uncaughtException', (error) => void stop(String(error.stack), 1));

try {
  await start(readLocalConfig());
} catch (error) {
  await stop((error as Error).message, 1);
}

async function start(config: LocalConfig): Promise<void> {
  const { files } = config;
  // Also for the processes started from here.
  process.umask(0o077);
  // Contains passwords and data. A folder of an earlier release is closed too.
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  chmodSync(config.home, 0o700);
  const lock = takeLock(files.lock);
  if (!lock.taken)
    throw new Error(`Roster is already running on ${config.home} (pid ${lock.pid}).`);
  shutdownSteps.push(lock.release);
  makePrivate(Object.values(files));
  if (config.PORT > 0)
    await waitForFreePort(config.HOST, config.PORT, lock.tookOver ? afterCrashMs : 0);
  removeDemo(files.demo);

  print('Starting…');
  const readyTimeoutMs = config.READY_TIMEOUT_SECONDS * 1000;
  const supervisor = new Supervisor({ logDir: files.logs, print, readyTimeoutMs });
  shutdownSteps.push(() => supervisor.stop());
  const { superuserUrl, ...backing } = await startBacking(supervisor, config);
  const isPrepared = superuserUrl !== undefined && wasPrepared(files.preparedBy);
  const preparing = prepareDatabase(backing.databaseUrls, superuserUrl, isPrepared);
  if (!isPrepared) await preparing;
  let { PORT: port } = config;
  await Promise.all([
    preparing,
    supervisor.start(services(config, backing)),
    supervisor.start([gateway(config, backing, (ready) => (port = ready.port ?? port))]),
  ]);
  if (superuserUrl) writePrivateFile(files.preparedBy, thisRelease());

  const baseUrl = `http://${addressFor(config.HOST)}:${port}`;
  const operator = operatorConnection(backing, config);
  const { workspace, isNew } = await openDemoWorkspace(files.demoWorkspace, baseUrl, operator);
  if (stopping) return;
  const { databaseUrls, ...nats } = backing;
  const demo = { baseUrl, ...workspace, databaseUrl: databaseUrls.migrate, ...nats };
  shutdownSteps.push(() => removeDemo(files.demo));
  writeProfile(files.profiles, demo);
  writeDemo(files.demo, demo);
  if (process.argv.includes('--sample')) {
    // Loaded on demand: few starts need it.
    const { addSample } = await import('./sample.js');
    const sample = await addSample({ baseUrl, apiKey: demo.apiKey, port: port + 1 });
    shutdownSteps.push(sample.stop);
  }
  const url = await consoleUrl(demo);
  print(consoleLines(url));
  print(welcome(demo, { isNew, file: files.demoWorkspace }));
  await openForPerson(url);
}

/** The database and NATS: the configured servers, otherwise embedded ones. */
async function startBacking(
  supervisor: Supervisor,
  config: LocalConfig,
): Promise<Backing & { superuserUrl?: string }> {
  const { NATS_URL, files } = config;
  const databaseUrls = externalUrls(config);
  const postgres = embeddedPart('postgres', (options) =>
    startPostgres({ ...options, dataDir: files.postgres }),
  );
  const nats = embeddedPart('nats', (options) => {
    const users = serverUsers(openKeys(files.natsKeys));
    return startNats({ ...options, dataDir: files.nats, users });
  });
  const needed: Part[] = [];
  if (!databaseUrls) needed.push(postgres.part);
  if (!NATS_URL) needed.push(nats.part);
  await supervisor.start(needed);
  return {
    ...(databaseUrls
      ? { databaseUrls }
      : {
          databaseUrls: embeddedUrls(files.databasePasswords, postgres.url()),
          superuserUrl: postgres.url(),
        }),
    natsUrl: NATS_URL ?? nats.url(),
    natsKeys: NATS_URL ? config.natsKeys : files.natsKeys,
  };
}

/** Undefined if no variable names a server. */
function externalUrls({ databaseUrls, DATABASE_URL }: LocalConfig): DatabaseUrls | undefined {
  if (!DATABASE_URL && Object.values(databaseUrls).every((url) => url === undefined))
    return undefined;
  return forEachUser((user) => {
    const url = databaseUrls[user] ?? DATABASE_URL;
    if (!url) throw new Error(`${urlVariable(user)} is missing: set it, or DATABASE_URL.`);
    return url;
  });
}

/** Roles, if the server is embedded, and schemas. The only use of the superuser: processes and migrations have roles of their own. */
async function prepareDatabase(
  urls: DatabaseUrls,
  superuserUrl: string | undefined,
  isPrepared: boolean,
): Promise<void> {
  if (superuserUrl) {
    const variables = forEachUser((user) => [urlVariable(user), urls[user]]);
    await runRoster(
      ['postgres', 'roles', '--apply'],
      { ...Object.fromEntries(Object.values(variables)), DATABASE_URL: superuserUrl },
      'The roles of the database could not be created.',
      { inBackground: isPrepared },
    );
  }
  await runRoster(
    ['migrate'],
    { MIGRATE_DATABASE_URL: urls.migrate },
    'The database could not be migrated.',
    { inBackground: isPrepared },
  );
}

/**
 * Whether a former start of this release prepared the embedded database. Its processes then start at once: after a crash, callers
 * are waiting. If the database was changed since, they wait until it is prepared again.
 */
function wasPrepared(file: string): boolean {
  return readIfThere(file) === thisRelease();
}

/** The digest of the bundle that contains the roles and the migrations. */
function thisRelease(): string {
  return createHash('sha256')
    .update(readFileSync(bundleOf('operator')))
    .digest('hex');
}

/** A command of `roster`, in a separate process, because the modules it loads are not used afterwards. */
async function runRoster(
  args: string[],
  env: NodeJS.ProcessEnv,
  failure: string,
  { inBackground }: { inBackground: boolean },
): Promise<void> {
  const child = spawn(process.execPath, [bundleOf('roster'), ...args], {
    env: { ...compileCache, ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (inBackground && child.pid !== undefined)
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const stopIt = () => child.kill();
  shutdownSteps.push(stopIt);
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (problem += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (stopping) return;
  shutdownSteps.splice(shutdownSteps.indexOf(stopIt), 1);
  if (code !== 0) throw new Error(`${failure}\n${problem.trim()}`);
}

/** The address to connect to for a listening host, which may be a wildcard address. */
/** Releases resources in reverse order. Processes that hang exit after this one: wardens and services watch it. */
async function stop(why: string, exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  print(why);
  for (let step = shutdownSteps.pop(); step; step = shutdownSteps.pop()) await step();
  process.exit(exitCode);
}

function print(text: string): void {
  console.log(text);
}
