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

/** One measurement of one contender under one load. */
export interface Measurement extends Outcome {
  /** Processor microseconds by part, for each request answered as expected. `load` is the generator, `others` the rest of the machine. */
  cpuMicros: Record<string, number>;
  /** At the end, by part; of several processes, the greatest. */
  rssMib: Record<string, number>;
  /** Processors that the machine's hypervisor gave to others meanwhile. */
  stolenCores: number;
}

export async function measure(
  generator: Generator,
  contender: Contender,
  order: Omit<LoadOrder, 'ports'>,
): Promise<Measurement> {
  const look = () => {
    const parts = { ...contender.processes(), load: [generator.pid] };
    return {
      parts,
      times: Object.entries(parts).map(([part, pids]) => [part, processorTimes(pids)] as const),
      machine: machineSeconds(),
    };
  };
  let before = look();
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
  const answered = Math.max(1, outcome.answered);
  return {
    ...outcome,
    cpuMicros: Object.fromEntries(
      all.map(([part, spent]) => [part, Math.max(0, (spent * 1e6) / answered)]),
    ),
    rssMib,
    stolenCores: (after.machine.stolen - before.machine.stolen) / outcome.seconds,
  };
}

function memoryOf(parts: Record<string, number[]>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(parts).map(([part, pids]) => [
      part,
      // What PostgreSQL shares between its processes would count in each of them.
      part === 'postgres'
        ? pids.reduce((sum, pid) => sum + privateMib(pid), 0)
        : Math.max(...pids.map(residentMib)),
    ]),
  );
}
