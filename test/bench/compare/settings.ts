import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Contenders } from '../contenders/contenders.js';

export type Settings = Record<string, string | number>;

const here = fileURLToPath(new URL('.', import.meta.url));

/** The machine and the versions, which figures depend on. */
export function machine(): Settings {
  return {
    processor: cpus()[0]!.model,
    cores: cpus().length,
    'memory GiB': Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: here,
      encoding: 'utf8',
    }).trim(),
    date: new Date().toISOString().slice(0, 10),
  };
}

const shown = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
  'max_wal_size',
  'commit_delay',
];

export async function settingsOf(contenders: Contenders, contacts: number): Promise<Settings> {
  const client = new pg.Client({ connectionString: contenders.databaseUrls.roster });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; value: string }>(
      'select name, current_setting(name) as value from unnest($1::text[]) as s (name)',
      [shown],
    );
    const postgres = rows.map(({ name, value }) => [`postgres ${name}`, value]);
    const libraries = ['koa', '@koa/router', 'pg', 'nats'].map((name) => [name, versionOf(name)]);
    return {
      ...machine(),
      ...(Object.fromEntries([...postgres, ...libraries]) as Settings),
      'nats sync_interval': '1s',
      'connections of a service': 10,
      'connections of a monolith process': 20,
      contacts,
    };
  } finally {
    await client.end();
  }
}

function versionOf(name: string): string {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const path of paths) {
    try {
      const manifest = readFileSync(`${path}/${name}/package.json`, 'utf8');
      return (JSON.parse(manifest) as { version: string }).version;
    } catch {
      // Installed in a parent directory.
    }
  }
  return 'unknown';
}
