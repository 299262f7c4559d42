import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';
import { Client } from '../system/client.js';
import { problemLinesOfAll } from '../system/problem-lines.js';
import { startRoster, type RosterOptions, type RunningRoster } from '../system/running-roster.js';
import { ChangeLoad, inFlightMax } from './change-load.js';
import { UnreliableReceiver, behaviours, type Behaviour } from './unreliable-receiver.js';
import { Random } from './random.js';
import {
  countUnfinished,
  reconcile,
  type LoadedSystem,
  type Reconciliation,
  type Subscribed,
} from './reconcile.js';
import { hasFailed } from './report.js';
import { RestClient, type Send } from './rest-client.js';

export interface FaultRun {
  seed: number;
  seconds: number;
  changesPerSecond: number;
  /** The dispatcher's settings, shortened. */
  env: Record<string, string>;
  /** The test that runs it. */
  t?: RosterOptions['t'];
  /** An existing directory for the data of the system. Default: a new one. */
  home?: string;
  settleSeconds: number;
  print: (line: string) => void;
  /** Called before the webhooks are created. */
  prepare?: (roster: RunningRoster) => Promise<unknown>;
  /** Starts injecting faults. The returned function stops it. */
  harm: (roster: RunningRoster, random: Random) => { stop(): Promise<void> };
  /** The greatest share of deliveries that receivers may accept more than once. Without: any, since processes are killed. */
  repeatedMax?: number;
  /** The URL for the reconciliation, if the system's own leads through a proxy. */
  databaseUrl?: string;
  /** The relation with all recorded deliveries for the reconciliation: see `LoadedSystem`. */
  deliveries?: string;
}

/**
 * Runs the whole system under load against receivers with random behaviour while faults are injected, waits until it is
 * idle, and compares the records of all sides. If it fails, the last problems in the logs of all processes are printed.
 */
export async function runFaults(run: FaultRun): Promise<Reconciliation> {
  const random = new Random(run.seed);
  const own = () => new Random(Math.floor(random.next() * 2 ** 32));
  const roster = await startRoster({
    ...(run.t && { t: run.t }),
    ...(run.home !== undefined && { home: run.home }),
    env: { LOG_LEVEL: 'info', ...run.env },
  });
  const client = new RestClient(roster, { connectionsMax: inFlightMax, answerTimeoutMs: 15_000 });
  try {
    await run.prepare?.(roster);
    const { databaseUrl = roster.databaseUrl, deliveries } = run;
    const system = { ...roster, databaseUrl, ...(deliveries !== undefined && { deliveries }) };
    const result = await reconcileUnderLoad(system, {
      ...run,
      random: own,
      behaviours: Object.keys(behaviours) as Behaviour[],
      send: client.send,
      async whileLoaded() {
        const harm = run.harm(roster, own());
        await delay(run.seconds * 1000);
        await harm.stop();
      },
    });
    if (hasFailed(result)) printLogs(roster, run.print);
    return result;
  } catch (error) {
    printLogs(roster, run.print);
    throw error;
  } finally {
    client.close();
    await roster.discard();
  }
}

function printLogs(roster: RunningRoster, print: FaultRun['print']): void {
  print(roster.output().slice(-8000));
  print(problemLinesOfAll(join(roster.home, 'logs')));
}

export interface LoadedRun {
  /** Returns an independent random generator for each caller. */
  random: () => Random;
  behaviours: readonly Behaviour[];
  send: Send;
  changesPerSecond: number;
  /** Share of requests that read, from 0 to 1. */
  reads?: number;
  /** The load stops when this resolves. */
  whileLoaded: () => Promise<void>;
  settleSeconds: number;
  repeatedMax?: number | undefined;
  print: (line: string) => void;
}

/** Puts a running system under load until `whileLoaded` has ended, waits until it is idle, and reconciles. */
export async function reconcileUnderLoad(
  system: LoadedSystem,
  run: LoadedRun,
): Promise<Reconciliation> {
  const { print, random, send } = run;
  const receivers = run.behaviours.map((behaviour) => new UnreliableReceiver(behaviour, random()));
  try {
    const webhooks = await Promise.all(receivers.map((receiver) => subscribe(system, receiver)));
    const load = new ChangeLoad({
      send,
      random: random(),
      perSecond: run.changesPerSecond,
      reads: run.reads ?? 0,
      // Pages of every service.
      pages: [
        '/v1/contacts?limit=10',
        '/v1/users/me',
        '/v1/webhooks',
        `/v1/webhooks/${webhooks[0]!.id}/deliveries?limit=5`,
      ],
    });
    try {
      await run.whileLoaded();
    } finally {
      await load.stop();
    }
    for (const receiver of receivers) receiver.calmDown();
    const calmAt = performance.now();
    const unsettled = await settle(system, webhooks.length, run.settleSeconds, print);
    print(`calm again; ${unsettled} unfinished after ${seconds(calmAt)} s`);
    return await reconcile(system, load, webhooks, run.repeatedMax);
  } finally {
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
}

async function subscribe(system: LoadedSystem, receiver: UnreliableReceiver): Promise<Subscribed> {
  const { body } = await new Client(system).post<{ webhook: { id: string } }>('/v1/webhooks', {
    url: await receiver.start(),
    events: ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_DELETED'],
  });
  return { id: body.webhook.id, receiver };
}

/** Waits until nothing is unfinished, and reports what is when the time is over. */
async function settle(
  system: LoadedSystem,
  webhooks: number,
  settleSeconds: number,
  print: (line: string) => void,
): Promise<number> {
  let unfinished = Number.NaN;
  let saidAt = performance.now();
  try {
    await eventually(
      async () => {
        unfinished = await countUnfinished(system, webhooks);
        if (performance.now() - saidAt > 10_000) {
          print(`       ${unfinished} deliveries unfinished`);
          saidAt = performance.now();
        }
        if (unfinished === 0) return true;
        await delay(250);
        return false;
      },
      { timeoutMs: settleSeconds * 1000, describe: 'all deliveries to be finished' },
    );
  } catch {
    // The reconciliation reports missing items by ID.
  }
  return unfinished;
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);
