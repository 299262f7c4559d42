import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningRoster } from './running-roster.js';

/** The number of observations of a histogram of a service, for one label. */
export async function observations(
  roster: RunningRoster,
  service: string,
  histogram: string,
  label: string,
): Promise<number> {
  const log = await readFile(join(roster.home, 'logs', `${service}.log`), 'utf8');
  const ready = log.split('\n').findLast((line) => line.includes('"msg":"ready"'))!;
  const { adminPort } = JSON.parse(ready) as { adminPort: number };
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const line = metrics
    .split('\n')
    .find((each) => each.startsWith(`${histogram}_count`) && each.includes(`"${label}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}
