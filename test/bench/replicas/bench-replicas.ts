import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRoster } from '../../system/running-roster.js';
import { measure } from '../compare/measure.js';
import { settle } from '../compare/settle.js';
import type { Contender } from '../contenders/contender.js';
import { dataSetOf } from '../data/data-set.js';
import { loadDataSet } from '../data/load-data-set.js';
import { Generator, type LoadOrder } from '../load/generator.js';
import { Copies } from './copies.js';
import { EmptyHandlers } from './empty-handlers.js';
import { report } from './report.js';
import { jobs, summarise, type ReplicasResult, type Taken } from './summarise.js';

type Span = Pick<LoadOrder, 'warmSeconds' | 'seconds'>;

/** The number of gateways and of contacts processes in each turn: up and down, so that drift affects all alike. */
const turns = [1, 2, 4, 2, 1, 2, 4, 2, 1] as const;
/** Clients of all gateways together. */
const loads = [64, 128, 256] as const;
/**
 * Training lets V8 compile: each process has answered this number of requests of each job before its turn is measured. The first
 * ones cost twice as much.
 */
const trainRequestsEach = 20_000;
const trainSeconds = 2;
const warmSeconds = 0.4;
const seconds = 2;

/** CPU time per request with 1, 2 and 4 gateways and contacts processes on the same machine. */
export async function benchReplicas(print: (line: string) => void): Promise<ReplicasResult[]> {
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
    const send = (contender: Contender, job: string, clients: number, span: Span) => {
      sequence += 1_000_000;
      const order = { job, dataSet, sequence, shape: { clients }, seed: sequence };
      return measure(generator, contender, { ...order, ...span });
    };
    const train = async (contender: Contender, job: string, processes: number) => {
      const span = { warmSeconds: 0, seconds: trainSeconds };
      for (let answered = 0; answered < trainRequestsEach * processes;)
        answered += (await send(contender, job, loads.at(-1)!, span)).answered;
    };

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
          const figures = await send(roster, job, clients, span);
          taken.push({ job, clients, processes, figures });
        }
        const figures = await send(koa, 'get', clients, span);
        taken.push({ job: 'empty koa', clients, processes, figures });
      }
      print(`  ${processes} of each measured`);
    }
    const results = summarise(taken);
    for (const line of report(results)) print(line);
    return results;
  } finally {
    await generator.stop();
    await Promise.all([copies.keep(0), handlers.keep(0)]);
    await roster.stop();
    await rm(home, { recursive: true, force: true });
  }
}
