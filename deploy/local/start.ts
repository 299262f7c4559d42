/** `npm start`: PostgreSQL, NATS and every process of Roster on this machine, until it is stopped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';

import { serverUsers } from '@roster/bus';
import { startNats, startPostgres } from '@roster/embedded';

import { takeLock } from '#lock';

import { type LocalConfig, readLocalConfig } from './config.js';
import { openDemoWorkspace, removeDemo, writeDemo } from './demo.js';
import { embeddedPart } from './embedded-part.js';
import { waitForFreePort } from './free-port.js';
import { openKeys, operatorConnection } from './nats-keys.js';
import type { Part } from './part.js';
import { type Backing, bundleOf, gateway, services } from './services.js';
import { Supervisor } from './supervisor.js';
import { welcome } from './welcome.js';

/** Processes left by a crash stop within this time without intervention. */
const afterCrashMs = 4_000;

const releases: (() => unknown)[] = [];
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
  mkdirSync(config.home, { recursive: true });
  const lock = takeLock(files.lock);
  if (!lock.taken)
    throw new Error(`Roster is already running on ${config.home} (pid ${lock.pid}).`);
  releases.push(lock.release);
  if (config.PORT > 0)
    await waitForFreePort(config.HOST, config.PORT, lock.tookOver ? afterCrashMs : 0);
  removeDemo(files.demo);

  print('Starting…');
  const supervisor = new Supervisor({ logDir: files.logs, print });
  releases.push(() => supervisor.stop());
  const backing = await startBacking(supervisor, config);
  await migrate(backing);
  let { PORT: port } = config;
  await Promise.all([
    supervisor.start(services(config, backing)),
    supervisor.start([gateway(config, backing, (ready) => (port = ready.port ?? port))]),
  ]);

  const baseUrl = `http://${addressFor(config.HOST)}:${port}`;
  const operator = operatorConnection(backing, config);
  const workspace = await openDemoWorkspace(files.demoWorkspace, baseUrl, operator);
  if (stopping) return;
  const demo = { baseUrl, ...workspace, ...backing };
  releases.push(() => removeDemo(files.demo));
  writeDemo(files.demo, demo);
  print(welcome(demo));
}

/** The database and NATS: the configured servers, otherwise embedded ones. */
async function startBacking(supervisor: Supervisor, config: LocalConfig): Promise<Backing> {
  const { DATABASE_URL, NATS_URL, files } = config;
  const postgres = embeddedPart('postgres', (options) =>
    startPostgres({ ...options, dataDir: files.postgres }),
  );
  const nats = embeddedPart('nats', (options) => {
    const users = serverUsers(openKeys(files.natsKeys));
    return startNats({ ...options, dataDir: files.nats, users });
  });
  const needed: Part[] = [];
  if (!DATABASE_URL) needed.push(postgres.part);
  if (!NATS_URL) needed.push(nats.part);
  await supervisor.start(needed);
  return {
    databaseUrl: DATABASE_URL ?? postgres.url(),
    natsUrl: NATS_URL ?? nats.url(),
    natsKeys: NATS_URL ? config.NATS_KEYS_FOLDER : files.natsKeys,
  };
}

/** `roster migrate`, in a separate process, because the modules it loads are not used afterwards. */
async function migrate({ databaseUrl }: Backing): Promise<void> {
  const child = spawn(process.execPath, [bundleOf('roster'), 'migrate'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stopIt = () => child.kill();
  releases.push(stopIt);
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (problem += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (stopping) return;
  releases.splice(releases.indexOf(stopIt), 1);
  if (code !== 0) throw new Error(`The database could not be migrated.\n${problem.trim()}`);
}

/** The address to connect to for a listening host, which may be a wildcard address. */
function addressFor(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Releases resources in reverse order. Processes that hang exit after this one: wardens and services watch it. */
async function stop(why: string, exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  print(why);
  for (let release = releases.pop(); release; release = releases.pop()) await release();
  process.exit(exitCode);
}

function print(text: string): void {
  console.log(text);
}
