import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyNewCluster, eventually, shortOrLong, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { root } from '../cluster/release.js';
import { openRoster } from './client.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const run = promisify(execFile);
const soon = { timeoutMs: 60_000 };
const env = { ...patience, RETRY_SCHEDULE_SECONDS: Array(60).fill('1').join() };

test('the steps of recovery.md restore PostgreSQL to a moment beside a newer stream, a lost stream, and both, and no known event is lost', async (t) => {
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
  const { id: contactId } = await create('archived');
  // The receiver has it before its outcome is recorded.
  await eventually(async () => {
    const query = { status: ['delivered' as const], contactId };
    return (await system.client.deliveries.listAll(query)).deliveries.length === 1;
  }, soon);
  const target = new Date().toISOString();
  await create('after');
  await delivered('after');
  receiver.refuse('queued after');
  await create('queued after');
  await attempted('queued after');

  await system.stop();
  receiver.acceptAll();
  await system.restorePostgres({ backup: first, target });
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
  t.is(receiver.accepted('archived'), 1);
  t.deepEqual(await system.contacts(), ['early', 'queued', 'archived']);

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
  const end = new Date().toISOString();
  await create('too late');
  await delivered('too late');
  await system.stop();
  receiver.acceptAll();
  await system.restorePostgres({ backup: second, target: end });
  await system.restore('Both, from one backup', { backup: second, since }, async () => {
    await delivered('queued again');
    // Publishing again and the deliveries of all events have ended.
    await create('last');
    await delivered('last');
  });
  for (const name of ['early', 'archived', 'between', 'queued', 'in flight'])
    t.is(receiver.accepted(name), 1, name);
  t.deepEqual(await system.contacts(), [
    ...['early', 'queued', 'archived', 'in flight', 'queued again', 'between', 'last'],
  ]);
});

test('a base backup is taken under load, PostgreSQL is killed under load, and restored from its archive to a moment: every change before it is there, and every event of the stream is delivered', async (t) => {
  t.timeout(600_000);
  const { receiver, create, delivered, system } = await open(t);
  const since = new Date().toISOString();
  const backup = await temporaryDirectory(t);
  /** When the creation of each contact was acknowledged. */
  const acknowledged = new Map<string, string>();
  const loss = new AbortController();
  const load = Promise.all(
    Array.from({ length: 4 }, async (_, worker) => {
      for (let n = 0; !loss.signal.aborted; n += 1) {
        const name = `load ${worker} ${n}`;
        const isCreated = await create(name).then(
          () => true,
          // Nothing was promised.
          () => false,
        );
        if (isCreated) acknowledged.set(name, new Date().toISOString());
        else if (!loss.signal.aborted)
          throw new Error('a change failed before PostgreSQL was lost');
      }
    }),
  );
  const more = async (count: number) => {
    const wanted = acknowledged.size + count;
    await Promise.race([load, eventually(() => acknowledged.size >= wanted, soon)]);
    await delivered([...acknowledged.keys()].at(-1)!);
  };
  await more(shortOrLong(50, 500));
  await system.backUp(backup);
  await more(shortOrLong(50, 500));
  const target = new Date().toISOString();
  await more(shortOrLong(50, 500));
  // What `archive_timeout` does every minute.
  await system.archiveNow();
  await more(shortOrLong(20, 200));
  loss.abort();
  await system.lose();
  await load;

  await system.restorePostgres({ backup, target });
  let published: string[] = [];
  const [repaired] = (await system.restore(
    'PostgreSQL, beside the newer stream',
    { backup, since },
    async () => {
      published = await system.published();
      for (const name of published) await delivered(name);
    },
  )) as [Verified];
  const before = [...acknowledged].flatMap(([name, at]) => (at < target ? [name] : []));
  const contacts = new Set(await system.contacts());
  t.true(before.length >= 100);
  t.deepEqual(
    before.filter((name) => !contacts.has(name) || receiver.accepted(name) === 0),
    [],
  );
  t.true(contacts.size < acknowledged.size, 'later changes are lost');
  t.true(repaired.missing['undelivered']!.count > 0);
  const known = new Set(published);
  const unknown = [...acknowledged.keys()].filter((name) => !known.has(name));
  t.log(
    `${acknowledged.size} acknowledged, ${before.length} before the moment, ${published.length} events in the stream, ${unknown.length} not published`,
  );
  t.deepEqual(
    before.filter((name) => !known.has(name)),
    [],
  );
});

interface Verified {
  missing: Record<string, { count: number }>;
}

/** A system with a webhook, and a receiver that refuses some contacts or does not answer. */
async function open(t: ExecutionContext) {
  const receiver = await startReceiver(t);
  const system = await RestorableSystem.start(t);
  t.teardown(() => system.discard());
  await system.client.webhooks.create({ url: receiver.url, events: ['CONTACT_CREATED'] });
  const create = (name: string) =>
    system.client.contacts.create({ email: `${name.replaceAll(' ', '.')}@example.com`, name });
  const delivered = (name: string) => eventually(() => receiver.accepted(name) > 0, soon);
  return {
    ...{ receiver, system, create, delivered },
    attempted: (name: string) => eventually(() => receiver.attempted(name), soon),
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
  readonly #archive: string;

  constructor(roster: RunningRoster, archive: string) {
    this.#roster = roster;
    this.#archive = archive;
  }

  /** A system whose WAL is archived from the beginning. */
  static async start(t: ExecutionContext): Promise<RestorableSystem> {
    const home = await mkdtemp(join(tmpdir(), 'roster-system-'));
    const postgres = join(home, 'postgres');
    await mkdir(postgres, { mode: 0o700 });
    await copyNewCluster(postgres);
    const archive = await temporaryDirectory(t);
    // The server may run as another account.
    await chmod(archive, 0o777);
    for (const { text } of await stepsOf('Archive the WAL'))
      await shell(text, { ROSTER_HOME: home, ARCHIVE: archive });
    return new RestorableSystem(await startRoster({ t, home, env }), archive);
  }

  get client() {
    return openRoster(this.#roster);
  }

  async contacts(): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of this.client.contacts.list({ sort: 'createdAt', limit: 100 }))
      names.push(name);
    return names;
  }

  /** The contacts whose creation is in the stream. */
  async published(): Promise<string[]> {
    const names: string[] = [];
    for await (const event of this.client.eventLog.list({ kinds: ['CONTACT_CREATED'], limit: 100 }))
      if (event.kind === 'CONTACT_CREATED') names.push(event.data.contact.name);
    return names;
  }

  stop = () => this.#roster.stop();
  discard = () => this.#roster.discard();

  async #startAgain(): Promise<void> {
    this.#roster = await startRoster({ home: this.#roster.home, env });
  }

  /** Kills PostgreSQL while it is in use, with a part of its disk, so that it cannot start again, and stops what is left. */
  async lose(): Promise<void> {
    const cluster = join(this.#roster.home, 'postgres/cluster');
    const [pid] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
    await rm(join(cluster, 'global/pg_control'));
    process.kill(Number(pid), 'SIGKILL');
    await this.stop();
  }

  /** Resolves when all WAL up to now is archived. */
  archiveNow(): Promise<void> {
    return this.#inSession(async (session) => {
      const { rows } = await session.query<{ segment: string }>(
        'select pg_walfile_name(pg_switch_wal()) as segment',
      );
      const { segment } = rows[0]!;
      await eventually(async () => (await readdir(this.#archive)).includes(segment), soon);
    });
  }

  async #inSession<Result>(run: (session: pg.Client) => Promise<Result>): Promise<Result> {
    const session = new pg.Client({ connectionString: this.#roster.databaseUrl });
    await session.connect();
    try {
      return await run(session);
    } finally {
      await session.end();
    }
  }

  /** @param between what happens after the first step */
  backUp(backup: string, between = async () => {}): Promise<void> {
    return this.#inSession(async (session) => {
      for (const [index, { language, text }] of (await stepsOf('Take a base backup')).entries()) {
        if (language === 'sh') await this.#shell(text, { BACKUP: backup });
        else {
          const { rows } = await session.query<{ labelfile?: string }>(text);
          const label = rows[0]?.labelfile;
          if (label !== undefined) await writeLabel(join(backup, 'postgres/cluster'), label);
        }
        if (index === 0) await between();
      }
    });
  }

  async restorePostgres({ backup, target }: { backup: string; target: string }): Promise<void> {
    for (const { text } of await stepsOf('PostgreSQL to a moment'))
      // The server takes numeric offsets only.
      await this.#shell(text, { BACKUP: backup, TARGET: target.replace('Z', '+00') });
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
        await this.#startAgain();
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
    const { home } = this.#roster;
    return shell(command, { ...variables, ROSTER_HOME: home, ARCHIVE: this.#archive });
  }
}

const shell = (command: string, variables: Record<string, string>) =>
  run('sh', ['-ec', command], { env: { ...process.env, ...variables } });

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
