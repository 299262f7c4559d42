import type { TcpProxy } from '@roster/testing';
import type { Fault } from '../random-faults.js';

/** What may happen to the connections between the processes and a server. */
const shapes = {
  slow: { latencyMs: 150 },
  'very slow': { latencyMs: 1500 },
  narrow: { bytesPerSecond: 20_000 },
  lossy: { lostShare: 0.1 },
};

/** The links to servers are cut, fall silent, or become slow. */
export const linkFaults = (links: Record<string, TcpProxy>): Fault[] =>
  Object.entries(links).flatMap(([server, link]) => [
    ...(['refuse', 'reset', 'break', 'silence'] as const).map((mode) => ({
      name: `link to ${server}: ${mode}`,
      async inflict(wait: () => Promise<void>) {
        await link.setMode(mode);
        await wait();
        await link.setMode('forward');
        return true;
      },
    })),
    ...Object.entries(shapes).map(([name, shape]) => ({
      name: `link to ${server}: ${name}`,
      async inflict(wait: () => Promise<void>) {
        link.setShape(shape);
        await wait();
        link.setShape({});
        return true;
      },
    })),
  ]);
