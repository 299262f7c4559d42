import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DriverOrder } from '../limits/bare-driver.js';
import { statements } from '../limits/statements.js';
import { jobs } from '../jobs/jobs.js';
import type { Bench } from './bench.js';

const warmSeconds = 0.6;
const seconds = 1;

/** Requests per second of an empty Koa handler, and of the monolith's statement without a server. */
export async function measureLimits(job: string, bench: Bench): Promise<Record<string, number>> {
  const limits: Record<string, number> = {};
  const isRead = jobs[job]!.writes !== true;
  if (isRead) limits['empty Koa handler'] = await measureKoa(bench);
  if (statements[job]) limits['SQL from a bare driver'] = await measureDriver(job, bench);
  return limits;
}

async function measureKoa(bench: Bench): Promise<number> {
  const { child, port } = await startEmptyKoa();
  const contender = {
    name: 'Koa',
    port,
    databaseUrl: '',
    processes: () => ({ koa: [child.pid!] }),
  };
  const shape = { clients: 64 };
  const { perSecond } = await bench.measure('get', contender, {
    shape,
    warmSeconds,
    seconds,
    seed: 0,
  });
  await stopChild(child);
  return perSecond;
}

async function measureDriver(job: string, { contenders, dataSet }: Bench): Promise<number> {
  const child = start('../limits/bare-driver.js');
  const databaseUrl = contenders.databaseUrls.monolith;
  child.send({
    job,
    databaseUrl,
    dataSet,
    connections: 10,
    warmSeconds,
    seconds,
  } satisfies DriverOrder);
  const [{ perSecond }] = (await once(child, 'message')) as [{ perSecond: number }];
  await stopChild(child);
  return perSecond;
}

const start = (script: string) =>
  fork(fileURLToPath(new URL(script, import.meta.url)), [], { execArgv: [] });

/** A Koa server with a constant response. Exits with this process. */
export async function startEmptyKoa(): Promise<{ child: ChildProcess; port: number }> {
  const child = start('../limits/empty-koa.js');
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, port };
}

export async function stopChild(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
