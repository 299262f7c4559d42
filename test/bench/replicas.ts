import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@roster/embedded';
import { thisRelease } from '../cluster/release.js';
import { Replica } from '../cluster/replica.js';
import { partNames, processesOf } from '../system/processes.js';
import { startRoster, type RunningRoster } from '../system/running-roster.js';
import { startEmptyKoa, stopChild } from './compare/limits.js';
import { measure, type Measurement } from './compare/measure.js';
import { settle } from './compare/settle.js';
import type { Contender } from './contenders/contender.js';
import { dataSetOf } from './data/data-set.js';
import { loadDataSet } from './data/load-data-set.js';
import { Generator, type LoadOrder } from './load/generator.js';
import { medianOf } from './load/latencies.js';

type Span = Pick<LoadOrder, 'warmSeconds' | 'seconds'>;

/** Of gateways and contacts processes, each; up and down again, so that what drifts meets all alike. */
const turns = [1, 2, 4, 2, 1, 2, 4, 2, 1] as const;
const jobs = ['get', 'create'] as const;
/** Clients of all gateways together. */
const loads = [64, 128, 256] as const;
/** With as many clients for each gateway, as where there are more gateways because there are more clients. */
const clientsEach = 64;
/** V8 compiles what is asked often: one process has had some 20,000 requests when its turn begins, not the first ones. */
const trainSecondsEach = 2;
const warmSeconds = 0.4;
const seconds = 1.2;
/** What clients and balancers of one's own would be, and what the machine does besides. */
const notMeasured = new Set(['load', 'others']);

export interface ReplicasResult {
  /** `empty koa` are processes that do nothing: what dividing the same clients among processes costs by itself. */
  job: (typeof jobs)[number] | 'empty koa';
  clients: number;
  processes: number;
  /** Medians of the turns. */
  perSecond: number;
  cpuMicros: number;
  /** Of processor time for each request, to that of one process with as many clients. */
  ratio: number;
}

interface Taken {
  job: ReplicasResult['job'];
  clients: number;
  processes: number;
  figures: Measurement;
}

/** What a request costs with 1, 2 and 4 gateways and contacts processes on the same machine. */
export async function benchReplicas(say: (line: string) => void): Promise<ReplicasResult[]> {
  const home = await mkdtemp(join(tmpdir(), 'roster-bench-'));
  const roster = await startRoster({ home: join(home, 'roster') });
  const generator = new Generator();
  const copies = new Copies(roster, home);
  const handlers = new EmptyHandlers();
  try {
    const dataSet = dataSetOf(100_000);
    await loadDataSet(roster.databaseUrl, dataSet);
    const taken: Taken[] = [];
    let sequence = 1_000_000;
    const ask = (contender: Contender, job: string, clients: number, span: Span) => {
      sequence += 1_000_000;
      const order = { job, dataSet, sequence, shape: { clients }, seed: sequence };
      return measure(generator, contender, { ...order, ...span });
    };
    const train = (contender: Contender, job: string, processes: number) =>
      ask(contender, job, loads.at(-1)!, { warmSeconds: 0, seconds: trainSecondsEach * processes });

    for (const [turn, processes] of turns.entries()) {
      await Promise.all([copies.keep(processes - 1), handlers.keep(processes)]);
      const roster = copies.contender();
      const koa = handlers.contender();
      if (processes > (turns[turn - 1] ?? 0)) {
        for (const job of jobs) await train(roster, job, processes);
        await train(koa, 'get', processes);
      }
      for (const clients of loads) {
        const span = { warmSeconds, seconds };
        for (const job of jobs) {
          await settle([roster]);
          const figures = await ask(roster, job, clients, span);
          taken.push({ job, clients, processes, figures });
        }
        const figures = await ask(koa, 'get', clients, span);
        taken.push({ job: 'empty koa', clients, processes, figures });
      }
      say(`  ${processes} of each measured`);
    }
    const results = summarise(taken);
    say(report(results));
    return results;
  } finally {
    await generator.stop();
    await Promise.all([copies.keep(0), handlers.keep(0)]);
    await roster.stop();
    await rm(home, { recursive: true, force: true });
  }
}

interface Copy {
  gateway: Replica;
  port: number;
  contacts: Replica;
}

/** Gateways and contacts processes beside those that the system was started with. */
class Copies {
  readonly #roster: RunningRoster;
  readonly #home: string;
  readonly #running: Copy[] = [];

  constructor(roster: RunningRoster, home: string) {
    this.#roster = roster;
    this.#home = home;
  }

  /** Starts or stops some until there are so many of each. */
  async keep(count: number): Promise<void> {
    while (this.#running.length > count) {
      const { gateway, contacts } = this.#running.pop()!;
      await Promise.all([gateway.stop(), contacts.stop()]);
    }
    while (this.#running.length < count) await this.#add();
  }

  contender(): Contender {
    const { baseUrl, databaseUrl, home } = this.#roster;
    const port = Number(new URL(baseUrl).port);
    return {
      name: 'roster',
      port,
      ports: [port, ...this.#running.map((copy) => copy.port)],
      databaseUrl,
      processes: () => {
        const parts = partNames.map((part) => {
          const own = part === 'gateway' || part === 'contacts' ? this.#pidsOf(part) : [];
          return [part, [...processesOf(home, part), ...own]];
        });
        return Object.fromEntries(parts) as Record<string, number[]>;
      },
    };
  }

  #pidsOf(part: 'gateway' | 'contacts'): number[] {
    return this.#running.flatMap((copy) => copy[part].pid ?? []);
  }

  async #add(): Promise<void> {
    const { databaseUrl, natsUrl } = this.#roster;
    const port = await freePort();
    const copyOf = async (name: 'gateway' | 'contacts') => {
      const logFile = join(this.#home, `${name}.log`);
      return new Replica({ name, id: name, adminPort: await freePort(), logFile });
    };
    const copy = { gateway: await copyOf('gateway'), port, contacts: await copyOf('contacts') };
    this.#running.push(copy);
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      PORT: String(port),
    };
    await Promise.all(
      [copy.gateway, copy.contacts].map((replica) => replica.start({ release: thisRelease, env })),
    );
  }
}

/** Processes of Koa with nothing in them. */
class EmptyHandlers {
  readonly #running: { child: ChildProcess; port: number }[] = [];

  async keep(count: number): Promise<void> {
    while (this.#running.length > count) await stopChild(this.#running.pop()!.child);
    while (this.#running.length < count) this.#running.push(await startEmptyKoa());
  }

  contender(): Contender {
    const ports = this.#running.map(({ port }) => port);
    const pids = this.#running.map(({ child }) => child.pid!);
    return {
      name: 'empty koa',
      port: ports[0]!,
      ports,
      databaseUrl: '',
      processes: () => ({ koa: pids }),
    };
  }
}

function summarise(taken: readonly Taken[]): ReplicasResult[] {
  const groups = Map.groupBy(taken, ({ job, clients }) => `${job} ${clients}`);
  return [...groups.values()].flatMap((group) => {
    const { job, clients } = group[0]!;
    const byCount = Map.groupBy(group, ({ processes }) => processes);
    const costOf = (processes: number) =>
      medianOf(byCount.get(processes)!.map(({ figures }) => processorMicros(figures)));
    return [...byCount].map(([processes, all]) => ({
      job,
      clients,
      processes,
      perSecond: medianOf(all.map(({ figures }) => figures.perSecond)),
      cpuMicros: costOf(processes),
      ratio: costOf(processes) / costOf(1),
    }));
  });
}

const processorMicros = ({ cpuMicros }: Measurement): number =>
  Object.entries(cpuMicros).reduce(
    (sum, [part, micros]) => sum + (notMeasured.has(part) ? 0 : micros),
    0,
  );

function report(results: readonly ReplicasResult[]): string {
  const costOf = (job: string, processes: number, clients: number) =>
    results.find(
      (result) =>
        result.job === job && result.processes === processes && result.clients === clients,
    )?.cpuMicros ?? Number.NaN;
  const rows = results.map(({ job, clients, processes, perSecond, cpuMicros, ratio }) =>
    [
      `  ${job}, ${clients} clients, ${processes} of each`.padEnd(38),
      `${perSecond.toFixed(0)}/s`.padStart(10),
      `${cpuMicros.toFixed(0)} µs`.padStart(10),
      `${ratio.toFixed(2)} ×`.padStart(10),
    ].join(''),
  );
  const grown = [...jobs, 'empty koa'].flatMap((job) =>
    [2, 4].map((processes) => {
      const cost = costOf(job, processes, processes * clientsEach);
      const ratio = cost / costOf(job, 1, clientsEach);
      return `  ${job}, ${processes} of each`.padEnd(38) + `${ratio.toFixed(2)} ×`.padStart(10);
    }),
  );
  return [
    'Processor time for each request, of all processes together:',
    ...rows,
    `With ${clientsEach} clients for each gateway, to one gateway with ${clientsEach}:`,
    ...grown,
  ].join('\n');
}
