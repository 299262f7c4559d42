import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { profiles } from '../contenders/monolith.js';
import { profile } from '../profile.js';
import type { Bench } from './bench.js';
import { settle } from './settle.js';

const shape = { clients: 64 };
const parts = ['gateway', 'contacts', 'dispatcher'] as const;

/** CPU profiles of Roster's processes at saturation, under profiles/. The monoliths write theirs when they exit. */
export async function profileJob(
  job: string,
  bench: Bench,
  print: (line: string) => void,
): Promise<void> {
  const { contenders } = bench;
  const load = { shape, warmSeconds: 2, seconds: 4, seed: 1 };
  for (const monolith of contenders.monoliths) await bench.measure(job, monolith, load);
  await bench.measure(job, contenders.roster, { ...load, seconds: 1 });
  await settle(contenders.all);
  const { home } = contenders.system;
  const ends = await Promise.all(parts.map((part) => profile(home, part)));
  await bench.measure(job, contenders.roster, { ...load, warmSeconds: 0.2 });
  for (const [index, end] of ends.entries()) {
    print(`\n${job}, ${await end()}`);
    const name = `${parts[index]}.cpuprofile`;
    renameSync(join(profiles, name), join(profiles, `${job}-${name}`));
  }
}
