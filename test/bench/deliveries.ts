import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf, webhooksMax } from '@roster/contracts';
import { eventually } from '@roster/testing';
import { BenchSystem, type Workspace } from './bench-system.js';
import { createContacts } from './contact-load.js';
import { publishEvents } from './event-load.js';
import { inspectable } from './inspector.js';
import { profile } from './profile.js';
import type { Behaviour } from './receiver.js';
import { Usage } from './usage.js';

export interface BenchOptions {
  /** Duration of a sustained measurement. */
  seconds: number;
  profile: boolean;
  print: (line: string) => void;
}

export type Row = Record<string, string | number>;
export interface DeliveryResults {
  throughput: Row[];
  latency: Row[];
}

/** Number of events by which the stream is kept ahead of the receiver. */
const aheadMax = 4000;
const neighbours = 50;

/** Throughput and cost of deliveries, and the latency from the 2xx of a change to its receiver. */
export async function benchDeliveries(options: BenchOptions): Promise<DeliveryResults> {
  const { seconds, print } = options;
  // The default: hanging receivers hang until the deadline.
  const system = await BenchSystem.start(options.profile ? inspectable : {});
  const throughput: Row[] = [];
  const latency: Row[] = [];
  try {
    const short = Math.ceil(seconds / 2);
    print('Warming up…');
    await saturate(system, { webhooks: 10, workspaces: 10, seconds: 3 });

    print('Throughput…');
    throughput.push(
      await saturate(system, { ...options, webhooks: 50, workspaces: 50 }),
      await saturate(system, { webhooks: 20, workspaces: 1, seconds: short }),
      await saturate(system, { webhooks: 1, workspaces: 1, seconds: short }),
      await saturate(system, {
        webhooks: 1,
        workspaces: 1,
        filtered: webhooksMax - 1,
        seconds: short,
      }),
    );

    print('Latency…');
    const quiet: Behaviour[] = ['accept'];
    await measure(system, quiet, { perSecond: 200, seconds: 2 });
    for (const perSecond of [50, 200, 1000])
      latency.push(await measure(system, quiet, { ...options, perSecond, seconds: short }));

    print('Neighbours…');
    const accepting = Array.from({ length: neighbours }, (): Behaviour => 'accept');
    latency.push(
      await measure(system, accepting, { perSecond: 200, seconds }),
      await measure(system, ['hang', 'fail', ...accepting.slice(2)], { perSecond: 200, seconds }),
    );
    return { throughput, latency };
  } finally {
    await system.stop();
  }
}

interface Saturation {
  webhooks: number;
  workspaces: number;
  /** Further webhooks of each workspace, whose filters match none of the events. */
  filtered?: number;
  seconds: number;
  profile?: boolean;
  print?: (line: string) => void;
}

/** Maximum throughput of deliveries, with events that are written directly to the stream. */
async function saturate(system: BenchSystem, options: Saturation): Promise<Row> {
  const { receiver, roster } = system;
  const workspaces = await system.newWorkspaces(options.workspaces);
  const behaviours = Array.from({ length: options.webhooks }, (): Behaviour => 'accept');
  await system.subscribe(workspaces, behaviours);
  await system.subscribeFiltered(workspaces, options.filtered ?? 0);
  const fanOut = options.webhooks / options.workspaces;
  const { connections } = receiver;
  const before = { accepted: receiver.accepted, ...(await written(system)) };
  const done = () => receiver.accepted - before.accepted;

  const endProfile = options.profile ? await profile(roster.home, 'dispatcher') : undefined;
  const usage = new Usage(roster.home, receiver.pid);
  const startedAt = performance.now();
  const published = publishEvents({
    roster,
    workspaceIds: workspaces.map(({ workspaceId }) => workspaceId),
    seconds: options.seconds,
    enough: (events) => events * fanOut - done() > aheadMax,
  });
  await delay(options.seconds * 1000);
  const rate = done() / ((performance.now() - startedAt) / 1000);
  const { cores, dispatcherMibMax } = usage.stop();
  if (endProfile) options.print?.(await endProfile());

  const total = (await published) * fanOut;
  await everyRecorded(system, workspaces, total);
  const after = await written(system);
  return {
    webhooks: options.webhooks,
    filtered: options.filtered ?? 0,
    'fan-out': fanOut,
    'deliveries/s': Math.round(rate),
    'per s of dispatcher CPU': Math.round(rate / cores.dispatcher!),
    deliveries: total,
    connections: receiver.connections - connections,
    'WAL bytes each': Math.round((after.wal - before.wal) / total),
    'rows written each': Math.round(((after.rows - before.rows) / total) * 100) / 100,
    'of them queued': Math.round(((after.queued - before.queued) / total) * 100) / 100,
    'dispatcher MiB': dispatcherMibMax,
    ...busy(cores),
  };
}

/** A measurement only counts if all of its deliveries are recorded in the database, with their attempts. */
async function everyRecorded(
  system: BenchSystem,
  workspaces: readonly Workspace[],
  total: number,
): Promise<void> {
  const ids = workspaces.map(({ workspaceId }) => uuidOf('workspace', workspaceId));
  await eventually(
    async () => {
      const recorded = await system.number(
        `select count(*) as n from dispatcher.deliveries
         where workspace_id = any ($1::uuid[]) and status = 'delivered'`,
        [ids],
      );
      if (recorded === total) return true;
      await delay(250);
      throw new Error(`${recorded} of ${total} are recorded`);
    },
    { timeoutMs: 60_000, describe: 'every delivery to be recorded' },
  );
}

async function written(system: BenchSystem) {
  // Backends flush their statistics once a second while they are active, and when they become idle.
  await delay(1500);
  const rows = `select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as n
    from pg_stat_user_tables where schemaname = 'dispatcher'`;
  return {
    wal: await system.number(`select pg_current_wal_lsn() - '0/0'::pg_lsn as n`),
    rows: await system.number(rows),
    queued: await system.number(
      `select n_tup_ins as n from pg_stat_user_tables
       where schemaname = 'dispatcher' and relname = 'queue'`,
    ),
  };
}

interface Measurement {
  perSecond: number;
  seconds: number;
  profile?: boolean;
  print?: (line: string) => void;
}

/**
 * Latency from the 2xx of a change to the first byte at its receiver. Each webhook is in a separate workspace, and
 * changes are made in each in turn.
 */
async function measure(
  system: BenchSystem,
  behaviours: readonly Behaviour[],
  options: Measurement,
): Promise<Row> {
  const { roster, receiver } = system;
  const { perSecond, seconds } = options;
  const workspaces = await system.newWorkspaces(behaviours.length);
  await system.subscribe(workspaces, behaviours);
  await receiver.note(true);
  const busiest = options.profile && perSecond === 1000;
  const profiles = busiest
    ? await Promise.all(
        (['gateway', 'contacts'] as const).map((part) => profile(roster.home, part)),
      )
    : [];
  const usage = new Usage(roster.home, receiver.pid);
  const { acknowledged, refused } = await createContacts(
    { baseUrl: roster.baseUrl, apiKeys: workspaces.map(({ apiKey }) => apiKey) },
    perSecond,
    seconds,
  );
  const { cores, dispatcherMibMax } = usage.stop();
  for (const end of profiles) options.print?.(await end());
  const acceptedShare =
    behaviours.filter((behaviour) => behaviour === 'accept').length / behaviours.length;
  const arrived = await arrivals(system, acknowledged.size * acceptedShare);
  const waits = [...acknowledged]
    .flatMap(([contact, at]) => (arrived.has(contact) ? [arrived.get(contact)! - at] : []))
    .toSorted((a, b) => a - b);
  const ms = (share: number) => Math.round(waits[Math.floor(share * waits.length)]! * 10) / 10;
  return {
    'events/s': perSecond,
    webhooks: behaviours.length,
    'hanging, failing': behaviours.filter((behaviour) => behaviour !== 'accept').length,
    'p50 ms': ms(0.5),
    'p95 ms': ms(0.95),
    'p99 ms': ms(0.99),
    'max ms': Math.round(waits.at(-1)! * 10) / 10,
    measured: waits.length,
    'not arrived': Math.round(acknowledged.size * acceptedShare) - waits.length,
    refused,
    'dispatcher MiB': dispatcherMibMax,
    ...busy(cores),
  };
}

/** The arrival times. Waits for deliveries that are still in flight after the last change, because they count. */
async function arrivals({ receiver }: BenchSystem, expected: number): Promise<Map<string, number>> {
  const arrived = new Map<string, number>();
  const look = async () => {
    for (const [contact, at] of await receiver.note(true))
      if (!arrived.has(contact)) arrived.set(contact, at);
    await delay(100);
    return arrived.size >= expected;
  };
  await eventually(look, { timeoutMs: 30_000 }).catch(() => undefined);
  await receiver.note(false);
  return arrived;
}

/** Busy cores by component, without idle ones. */
const busy = (cores: Record<string, number>): Row =>
  Object.fromEntries(
    Object.entries(cores)
      .filter(([part]) => part !== 'users' && part !== 'webhooks')
      .map(([part, share]) => [`${part} cores`, share]),
  );
