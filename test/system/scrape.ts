import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningRoster } from './running-roster.js';

/** The response of a process at `/metrics`. */
export async function scrape(roster: RunningRoster, service: string): Promise<string> {
  const log = await readFile(join(roster.home, 'logs', `${service}.log`), 'utf8');
  const ready = log.split('\n').findLast((line) => line.includes('"msg":"ready"'))!;
  const { adminPort } = JSON.parse(ready) as { adminPort: number };
  return (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
}
