import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contenders/contender.js';
import type { Generator, LoadOrder } from '../load/generator.js';
import type { Outcome } from '../load/tally.js';
import {
  machineSeconds,
  privateMib,
  processorTimes,
  residentMib,
  secondsBetween,
} from './process-usage.js';

const lookMs = 50;

/** One measurement of one contender under one load. */
export interface Measurement extends Outcome {
  /**
   * CPU microseconds by component per successful request. `load` is the generator, `others` all other processes of
   * the machine.
   */
  cpuMicros: Record<string, number>;
  /** By component, at the end; the maximum if a component has several processes. */
  rssMib: Record<string, number>;
  /** Requests of the whole measurement whose delivery did not arrive, if they are counted. Refused ones are included. */
  undelivered?: number;
  /** Cores that the hypervisor of the machine gave to others meanwhile. */
  stolenCores: number;
}

/** @param deliveries counts those that a webhook has received. A request then counts when it is delivered, too */
export async function measure(
  generator: Generator,
  contender: Contender,
  order: Omit<LoadOrder, 'ports'>,
  deliveries?: () => number,
): Promise<Measurement> {
  const look = () => {
    const parts = { ...contender.processes(), load: [generator.pid] };
    return {
      parts,
      times: Object.entries(parts).map(([part, pids]) => [part, processorTimes(pids)] as const),
      machine: machineSeconds(),
      delivered: deliveries?.() ?? 0,
    };
  };
  const first = look();
  let before = first;
  let after = before;
  let rssMib: Record<string, number> = {};
  const outcome = await generator.run(
    { ...order, ports: contender.ports ?? [contender.port] },
    (phase) => {
      if (phase === 'began') {
        before = look();
      } else {
        after = look();
        rssMib = memoryOf(after.parts);
      }
    },
  );
  const timesBefore = new Map(before.times);
  const seconds = after.times.map(
    ([part, times]) => [part, secondsBetween(timesBefore.get(part)!, times)] as const,
  );
  const own = seconds.reduce((sum, [, part]) => sum + part, 0);
  const all = [...seconds, ['others', after.machine.spent - before.machine.spent - own] as const];
  const delivered = after.delivered - before.delivered;
  const counted = deliveries ? Math.min(outcome.answered, delivered) : outcome.answered;
  return {
    ...outcome,
    perSecond: counted / outcome.seconds,
    ...(deliveries && {
      undelivered: await undelivered(outcome.made, () => deliveries() - first.delivered),
    }),
    cpuMicros: Object.fromEntries(
      all.map(([part, spent]) => [part, Math.max(0, (spent * 1e6) / Math.max(1, counted))]),
    ),
    rssMib,
    stolenCores: (after.machine.stolen - before.machine.stolen) / outcome.seconds,
  };
}

/** Waits until deliveries have all arrived, or none has arrived for a second. Returns how many are missing. */
async function undelivered(made: number, deliveries: () => number): Promise<number> {
  let [last, idleMs] = [0, 0];
  while (deliveries() < made && idleMs < 1000) {
    await delay(lookMs);
    idleMs = deliveries() > last ? 0 : idleMs + lookMs;
    last = deliveries();
  }
  return Math.max(0, made - deliveries());
}

function memoryOf(parts: Record<string, number[]>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(parts).map(([part, pids]) => [
      part,
      // Shared memory of PostgreSQL would be counted in each of its processes.
      part === 'postgres'
        ? pids.reduce((sum, pid) => sum + privateMib(pid), 0)
        : Math.max(...pids.map(residentMib)),
    ]),
  );
}
