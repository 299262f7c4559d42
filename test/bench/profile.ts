import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@roster/testing';
import { processesOf, type PartName } from '../system/processes.js';

const directory = fileURLToPath(new URL('../../bench/profiles/', import.meta.url));
const shown = 25;

/** Options to start a system with for profiling: each process opens its inspector on a separate port. */
export const profilable = { NODE_OPTIONS: '--inspect-port=0' };

/**
 * Records a CPU profile of a component until the returned function is called, which writes it to a file and returns
 * its summary.
 */
export async function profile(home: string, part: PartName): Promise<() => Promise<string>> {
  const inspector = new WebSocket(await openInspector(home, part));
  await new Promise((resolve) => inspector.addEventListener('open', resolve, { once: true }));
  let id = 0;
  const send = (method: string, params: object = {}) =>
    new Promise<object>((resolve) => {
      const mine = (id += 1);
      inspector.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data)) as { id: number; result: object };
        if (answer.id === mine) resolve(answer.result);
      });
      inspector.send(JSON.stringify({ id: mine, method, params }));
    });
  await send('Profiler.enable');
  await send('Profiler.setSamplingInterval', { interval: 500 });
  await send('Profiler.start');
  return async () => {
    const { profile: taken } = (await send('Profiler.stop')) as { profile: Profile };
    inspector.close();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${part}.cpuprofile`), JSON.stringify(taken));
    return `${part}, self time:\n${summary(taken)}`;
  };
}

async function openInspector(home: string, part: PartName): Promise<string> {
  const log = join(home, 'logs', `${part}.log`);
  process.kill(processesOf(home, part)[0]!, 'SIGUSR1');
  return eventually(
    () =>
      readFileSync(log, 'utf8')
        .match(/Debugger listening on (ws:\S+)/g)
        ?.at(-1)
        ?.split(' ')
        .at(-1),
    { describe: `the inspector of ${part}` },
  );
}

interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  samples: number[];
  timeDeltas: number[];
}

function summary({ nodes, samples, timeDeltas }: Profile): string {
  const nameOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`,
    ]),
  );
  const micros = new Map<string, number>();
  let total = 0;
  for (const [at, sample] of samples.entries()) {
    const name = nameOf.get(sample)!;
    micros.set(name, (micros.get(name) ?? 0) + timeDeltas[at]!);
    total += timeDeltas[at]!;
  }
  return [...micros]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, shown)
    .map(([name, time]) => `  ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`)
    .join('\n');
}
