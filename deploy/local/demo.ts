import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Profiles } from 'roster';
import { z } from 'zod';
import { commandName } from './home.js';
import type { NatsConnection } from './nats-keys.js';
import { readIfThere, writePrivateFile } from './private-file.js';
import type { Backing } from './services.js';

const demoWorkspace = z.object({ workspaceId: z.string(), userId: z.string(), apiKey: z.string() });
export type DemoWorkspace = z.infer<typeof demoWorkspace>;

/** Address and API key of a running system, read by the command line and by tests. */
export interface Demo extends DemoWorkspace, Omit<Backing, 'databaseUrls'> {
  baseUrl: string;
  /** The URL of the migrator. */
  databaseUrl: string;
}

/** The demo workspace, created once. A key that is not in this database belongs to an earlier database. */
export async function openDemoWorkspace(
  file: string,
  baseUrl: string,
  connection: NatsConnection,
): Promise<{ workspace: DemoWorkspace; isNew: boolean }> {
  const kept = demoWorkspace.safeParse(JSON.parse(readIfThere(file) ?? 'null'));
  if (kept.success && (await isValid(kept.data.apiKey, baseUrl)))
    return { workspace: kept.data, isNew: false };

  // Loaded on demand: only the first start needs it, and loading it is slow.
  const { callOperation } = await import('./call-operation.js');
  const made = await callOperation(connection, 'workspaces.create', {
    name: 'Demo',
    ownerEmail: 'demo@example.com',
    ownerName: 'Demo',
  });
  writePrivateFile(file, `${JSON.stringify(made, null, 2)}\n`);
  return { workspace: made, isNew: true };
}

const answerTimeoutMs = 10_000;

async function isValid(apiKey: string, baseUrl: string): Promise<boolean> {
  const deadline = performance.now() + answerTimeoutMs;
  for (;;) {
    const response = await fetch(`${baseUrl}/v1/users/me`, {
      headers: { authorization: `Bearer ${apiKey}`, 'x-request-id': randomUUID() },
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    await response.arrayBuffer();
    // A system that has just started may not answer yet.
    if (response.status < 500 || performance.now() > deadline) return response.ok;
    await delay(100);
  }
}

export function writeDemo(file: string, demo: Demo): void {
  writePrivateFile(file, `${JSON.stringify(demo, null, 2)}\n`);
}

/** Writes the profile `local`: with this home, the command line uses it. */
export function writeProfile(file: string, { baseUrl: url, apiKey }: Demo): void {
  const profiles: Profiles = { current: 'local', profiles: { local: { url, apiKey } } };
  writePrivateFile(file, `${JSON.stringify(profiles, null, 2)}\n`);
}

export function readDemo(file: string): Demo | undefined {
  const text = readIfThere(file);
  return text === undefined ? undefined : (JSON.parse(text) as Demo);
}

export function removeDemo(file: string): void {
  rmSync(file, { force: true });
}

/** What the text says of the API key. */
export interface KeyNotice {
  /** Whether this start created the key. */
  isNew: boolean;
  /** The file that contains it. */
  file: string;
}

/** The text that `npm start` prints when all processes are ready. It contains the API key only once. */
export function welcome({ baseUrl, apiKey }: Demo, { isNew, file }: KeyNotice): string {
  const curl = (path: string, body?: unknown) =>
    [
      `curl -s ${baseUrl}${path} -H "Authorization: Bearer $KEY"`,
      ...(body ? [`-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`] : []),
    ].join(' ');
  const key = isNew ? apiKey : `$(node -p 'require(process.argv[1]).apiKey' '${file}')`;
  // At a later start the contact exists, and creating it again would be refused.
  const create = { email: 'ada@example.com', name: 'Ada Lovelace', tags: ['early'] };
  const query = { query: '{ contacts(first: 10) { totalCount nodes { email } } }' };
  return `
Roster runs at ${baseUrl}
The API key of the demo workspace is stored in ${file}

${isNew ? 'Create a contact, and list' : 'List'} the contacts over REST and GraphQL:

KEY=${key}
${isNew ? `${curl('/v1/contacts', create)}\n` : ''}${curl('/v1/contacts')}
${curl('/graphql', query)}

The command line uses this system and key: ${commandName()} contacts list
README.md continues with a webhook. Ctrl-C stops it.
`;
}
