/**
 * Measures the memory that pages of the largest contacts take: `node test/dist/memory/fat-pages.js --clients 256 --seconds 20`. Clients of one
 * workspace list 100 contacts of 9 KiB each, each again immediately after the response, while another workspace reads small pages.
 * Prints the statuses of both, and the peak memory of the gateway and the contacts service.
 */
import { uuidOf } from '@roster/contracts';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Connection } from '../bench/load/connection.js';
import { optionsOfProcess } from '../command-line/read-options.js';
import { processesOf } from '../system/processes.js';
import { startRoster, type RunningRoster } from '../system/running-roster.js';

const options = optionsOfProcess({ clients: 256, seconds: 20, compressible: false });
const contactsOfPage = 100;
const measured = ['gateway', 'contacts'] as const;

const roster = await startRoster();
try {
  await insertFatContacts(roster);
  const small = await roster.newWorkspace('Small');
  const port = Number(new URL(roster.baseUrl).port);
  const until = performance.now() + options.seconds * 1000;
  const list = (limit: number, apiKey: string, clients: number) =>
    Promise.all(Array.from({ length: clients }, () => listRepeatedly(port, limit, apiKey, until)));
  const [fat, neighbours] = await Promise.all([
    list(contactsOfPage, roster.apiKey, options.clients),
    list(1, small.apiKey, 4),
  ]);
  console.log({
    fat: summary(fat.flat()),
    neighbours: summary(neighbours.flat()),
    peakMib: Object.fromEntries(measured.map((part) => [part, peakMib(roster, part)])),
  });
} finally {
  await roster.discard();
}

interface Response {
  status: number;
  ms: number;
}

async function listRepeatedly(
  port: number,
  limit: number,
  apiKey: string,
  until: number,
): Promise<Response[]> {
  const responses: Response[] = [];
  const request =
    `GET /v1/contacts?limit=${limit} HTTP/1.1\r\nHost: localhost\r\n` +
    `Authorization: Bearer ${apiKey}\r\n\r\n`;
  while (performance.now() < until) {
    const connection = await Connection.open(port);
    const closed = () => ({ status: 0 });
    while (performance.now() < until) {
      const startedAt = performance.now();
      const { status } = await connection.exchange(request).catch(closed);
      responses.push({ status, ms: performance.now() - startedAt });
      if (!connection.isOpen) break;
    }
    connection.close();
  }
  return responses;
}

/** Requests by status, 0 for a closed connection, and percentiles of their response times. */
function summary(responses: Response[]) {
  const sorted = responses.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const statuses: Record<number, number> = {};
  for (const { status } of responses) statuses[status] = (statuses[status] ?? 0) + 1;
  const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  return { statuses, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Peak memory of a process since its start. Linux only. */
function peakMib({ home }: RunningRoster, part: (typeof measured)[number]): number {
  const [pid] = processesOf(home, part);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024);
}

/** Properties of 9 KiB, of random digits unless `--compressible` is given. */
async function insertFatContacts({ databaseUrl, workspaceId }: RunningRoster): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const value = options.compressible
    ? `repeat('v', 4000)`
    : `(select string_agg(md5(n || '-' || p || '-' || i), '') from generate_series(1, 125) i)`;
  await client.query(
    `insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, created_at)
     select $1, gen_random_uuid(), n || '@example.com', n || '@example.com', 'Fat', '[]', (
       select jsonb_object_agg('p' || p, ${value}) from generate_series(1, 2) p
     ), now() from generate_series(1, ${contactsOfPage}) n`,
    [uuidOf('workspace', workspaceId)],
  );
  await client.end();
}
