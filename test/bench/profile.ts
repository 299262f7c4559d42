import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PartName } from '../system/processes.js';
import { Inspector } from './inspector.js';

const directory = fileURLToPath(new URL('../../bench/profiles/', import.meta.url));
const shown = 25;

/**
 * Records a CPU profile of a component until the returned function is called, which writes it to a file and returns
 * its summary.
 */
export async function profile(home: string, part: PartName): Promise<() => Promise<string>> {
  const inspector = await Inspector.open(home, part);
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.setSamplingInterval', { interval: 500 });
  await inspector.send('Profiler.start');
  return async () => {
    const { profile: taken } = await inspector.send<{ profile: Profile }>('Profiler.stop');
    inspector.close();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${part}.cpuprofile`), JSON.stringify(taken));
    return `${part}, self time:\n${summary(taken)}`;
  };
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
