import { execFile } from 'node:child_process';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { root } from '../cluster/release.js';
import { openRoster } from './client.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const run = promisify(execFile);
const soon = { timeoutMs: 60_000 };
const env = { ...patience, RETRY_SCHEDULE_SECONDS: Array(60).fill('1').join() };

test('the steps of recovery.md restore PostgreSQL beside a newer stream, a lost stream, and both, and no known event is lost', async (t) => {
  t.timeout(600_000);
  const { receiver, create, attempted, delivered, system } = await open(t);
  const since = new Date().toISOString();
  const [first, second] = [await temporaryDirectory(t), await temporaryDirectory(t)];

  await create('early');
  await delivered('early');
  receiver.refuse('queued');
  await create('queued');
  await attempted('queued');
  await system.backUp(first);
  await create('after');
  await delivered('after');
  receiver.refuse('queued after');
  await create('queued after');
  await attempted('queued after');

  await system.stop();
  receiver.acceptAll();
  const repaired = await system.restore(
    'PostgreSQL, beside the newer stream',
    { backup: first, since },
    async () => {
      for (const name of ['queued', 'queued after']) await delivered(name);
      await eventually(() => receiver.accepted('after') === 2, soon);
    },
  );
  const [{ missing }] = repaired as [Verified];
  t.deepEqual(
    Object.entries(missing).flatMap(([kind, { count }]) => (count > 0 ? [[kind, count]] : [])),
    [['undelivered', 2]],
  );
  t.is(receiver.accepted('early'), 1);
  t.deepEqual(await system.contacts(), ['early', 'queued']);

  receiver.hang('in flight');
  await create('in flight');
  await attempted('in flight');
  await system.stop();
  receiver.acceptAll();
  await system.restore('The stream is lost', { backup: first, since }, () =>
    delivered('in flight'),
  );
  t.is(receiver.accepted('early'), 1);
  t.is(receiver.accepted('queued'), 1);

  receiver.refuse('queued again');
  await create('queued again');
  await attempted('queued again');
  await system.backUp(second, async () => {
    await create('between');
    await delivered('between');
  });
  await create('too late');
  await delivered('too late');
  await system.stop();
  receiver.acceptAll();
  await system.restore('Both, from one backup', { backup: second, since }, async () => {
    await delivered('queued again');
    // Publishing again and the deliveries of all events have ended.
    await create('last');
    await delivered('last');
  });
  for (const name of ['early', 'between', 'queued', 'in flight'])
    t.is(receiver.accepted(name), 1, name);
  t.deepEqual(await system.contacts(), [
    ...['early', 'queued', 'in flight', 'queued again', 'between', 'last'],
  ]);
});

interface Verified {
  missing: Record<string, { count: number }>;
}

/** A system with a webhook, and a receiver that refuses some contacts or does not answer. */
async function open(t: ExecutionContext) {
  const receiver = await startReceiver(t);
  const system = new RestorableSystem(await startRoster({ t, env }));
  t.teardown(() => system.discard());
  await system.client.webhooks.create({ url: receiver.url, events: ['CONTACT_CREATED'] });
  const create = (name: string) =>
    system.client.contacts.create({ email: `${name.replaceAll(' ', '.')}@example.com`, name });
  return {
    ...{ receiver, system, create },
    attempted: (name: string) => eventually(() => receiver.attempted(name), soon),
    delivered: (name: string) => eventually(() => receiver.accepted(name) > 0, soon),
  };
}

async function startReceiver(t: ExecutionContext) {
  const refused = new Set<string>();
  const hanging = new Set<string>();
  const held: ServerResponse[] = [];
  const attempts: string[] = [];
  const accepted: string[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        data: { contact: { name: string } };
      };
      const { name } = data.contact;
      attempts.push(name);
      if (hanging.has(name)) return void held.push(response);
      if (!refused.has(name)) accepted.push(name);
      response.writeHead(refused.has(name) ? 503 : 204).end();
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    refuse: (name: string) => void refused.add(name),
    hang: (name: string) => void hanging.add(name),
    acceptAll() {
      refused.clear();
      hanging.clear();
      for (const response of held.splice(0)) response.destroy();
    },
    attempted: (name: string) => attempts.includes(name),
    accepted: (name: string) => accepted.filter((one) => one === name).length,
  };
}

/** A system that is backed up and restored with the commands of recovery.md. */
class RestorableSystem {
  #roster: RunningRoster;

  constructor(roster: RunningRoster) {
    this.#roster = roster;
  }

  get client() {
    return openRoster(this.#roster);
  }

  async contacts(): Promise<string[]> {
    const { contacts } = await this.client.contacts.list({ sort: 'createdAt' });
    return contacts.map(({ name }) => name);
  }

  stop = () => this.#roster.stop();
  discard = () => this.#roster.discard();

  /** @param between what happens after the first step */
  async backUp(backup: string, between = async () => {}): Promise<void> {
    const session = new pg.Client({ connectionString: this.#roster.databaseUrl });
    await session.connect();
    try {
      for (const [index, { language, text }] of (await stepsOf('Back up')).entries()) {
        if (language === 'sh') await this.#shell(text, { BACKUP: backup });
        else {
          const { rows } = await session.query<{ labelfile?: string }>(text);
          const label = rows[0]?.labelfile;
          if (label !== undefined) await writeLabel(join(backup, 'postgres/cluster'), label);
        }
        if (index === 0) await between();
      }
    } finally {
      await session.end();
    }
  }

  /**
   * Resolves with what each `roster verify` has found; the last one nothing that is missing.
   *
   * @param settled before the last one, which is repeated until then
   */
  async restore(
    section: string,
    { backup, since }: { backup: string; since: string },
    settled: () => Promise<unknown>,
  ): Promise<Verified[]> {
    const found: Verified[] = [];
    const commands = (await stepsOf(section)).flatMap(({ text }) => text.trim().split('\n'));
    for (const [index, command] of commands.entries()) {
      if (command === 'npm start') {
        this.#roster = await startRoster({ home: this.#roster.home, env });
        continue;
      }
      const [, operation] = /^npm run --silent roster -- (.*)$/.exec(command) ?? [];
      if (operation === undefined) await this.#shell(command, { BACKUP: backup });
      else if (index < commands.length - 1) found.push(await this.#verify(operation, since));
      else {
        await settled();
        await eventually(async () => {
          const { missing } = await this.#verify(operation, since);
          return Object.values(missing).every(({ count }) => count === 0);
        }, soon);
      }
    }
    return found;
  }

  async #verify(operation: string, since: string): Promise<Verified> {
    const cli = join(root, 'deploy/local/dist/roster.js');
    const command = `"${process.execPath}" "${cli}" ${operation} --json`;
    // Exit code 1: something is missing.
    const { stdout } = await this.#shell(command, { SINCE: since }).catch(
      (error: { stdout: string }) => error,
    );
    return JSON.parse(stdout) as Verified;
  }

  #shell(command: string, variables: Record<string, string>) {
    const own = { ...variables, ROSTER_HOME: this.#roster.home };
    return run('sh', ['-ec', command], { env: { ...process.env, ...own } });
  }
}

/** Tests may run as root, and the server as another account. */
async function writeLabel(cluster: string, label: string): Promise<void> {
  const file = join(cluster, 'backup_label');
  const { uid, gid } = await stat(cluster);
  await writeFile(file, label, { mode: 0o600 });
  await chown(file, uid, gid);
}

/** The blocks of a section of recovery.md with commands. */
async function stepsOf(section: string): Promise<{ language: string; text: string }[]> {
  const page = await readFile(join(root, 'deploy/recovery.md'), 'utf8');
  const [, body = ''] = page.split(new RegExp(`^#+ ${section}$`, 'm'));
  const [own = ''] = body.split(/^#+ /m);
  const blocks = own.matchAll(/^```(sh|sql)\n(.*?)^```/gms);
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }));
}
