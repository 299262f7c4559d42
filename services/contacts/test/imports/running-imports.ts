import {
  importLimits,
  uuidOf,
  type CallInputOf,
  type EventBody,
  type Operations,
} from '@roster/contracts';
import { openLog } from '@roster/process';
import type { Database, Session } from '@roster/storage';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { ImportJobs } from '../../imports/import-jobs.js';
import { JobRunner } from '../../jobs/job-runner.js';
import type { ContactsService } from '../../service.js';
import { eventsOf, type RunningContacts, type Workspace } from '../running-contacts.js';

export type Rows = CallInputOf<Operations['imports.append']>['rows'];

/** Uploads contacts as the gateway does, and returns the ID of the import. */
export async function upload(
  workspace: Workspace,
  contacts: readonly object[],
  options: CallInputOf<Operations['imports.create']> = {},
): Promise<string> {
  const { import: created } = await workspace.call('imports.create', options);
  const importId = created.id;
  const rows = contacts.map((contact, at) => ({ row: at + 1, contact })) as Rows;
  let ordinal = 0;
  for (let at = 0; at < rows.length; at += importLimits.chunkRows, ordinal += 1)
    await workspace.call('imports.append', {
      ...{ importId, ordinal },
      rows: rows.slice(at, at + importLimits.chunkRows),
    });
  await workspace.call('imports.finish', { importId, chunks: ordinal, total: rows.length });
  return importId;
}

/** A process that applies imports. */
export function startRunner(t: ExecutionContext, service: ContactsService): JobRunner {
  const options = { log: openLog('contacts', 'silent'), pollMs: 10 };
  const runner = new JobRunner(service, [new ImportJobs(service)], options);
  t.teardown(() => runner.stop());
  return runner;
}

export const importOf = async (workspace: Workspace, importId: string) =>
  (await workspace.call('imports.get', { importId })).import;

export async function ended(workspace: Workspace, importId: string) {
  await eventually(async () => (await importOf(workspace, importId)).endedAt !== null);
  return importOf(workspace, importId);
}

/**
 * Addresses of the contacts of a workspace, in the order of their creation, those that events announced, and the imports that events
 * announced as ended.
 */
export async function contentsOf(running: RunningContacts, workspace: Workspace) {
  const rows = await running.database.query<{ email: string }>(
    {
      name: 'test.addresses',
      text: 'select email from contacts.contacts where workspace_id = $1 order by id',
    },
    [uuidOf('workspace', workspace.id)],
  );
  const events = await eventsOf(running, workspace);
  const data = events.map(({ body }) => (JSON.parse(body) as { data: EventData }).data);
  return {
    emails: rows.map(({ email }) => email),
    announced: data.flatMap((one) => ('contact' in one ? [one.contact.email] : [])),
    ends: data.flatMap((one) => ('import' in one ? [one.import] : [])),
  };
}

type EventData = EventBody<'CONTACT_CREATED' | 'IMPORT_ENDED'>['data'];

export const addresses = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}@example.com`);

/** A database that does something before each statement of a name. */
export function beforeEach(database: Database, name: string, then: () => Promise<void>): Database {
  const around = (session: Session): Session => ({
    async query(statement, values) {
      if (statement.name === name) await then();
      return session.query(statement, values);
    },
    transaction: (work) => session.transaction((inner) => work(around(inner))),
    afterCommit: (work) => session.afterCommit(work),
    em: session.em,
  });
  return around(database) as Database;
}

/** The database of a process that dies: before statement `n`, and whatever it does later, fails. */
export function dyingDatabase(database: Database, n: number) {
  const { promise: died, resolve } = Promise.withResolvers<void>();
  let left = n;
  const live = () => {
    if ((left -= 1) > 0) return;
    resolve();
    throw new Error('the process is dead');
  };
  const dying = (session: Session): Session => ({
    async query(statement, values) {
      live();
      return session.query(statement, values);
    },
    async transaction(work) {
      live();
      const result = await session.transaction((inner) => work(dying(inner)));
      live();
      return result;
    },
    afterCommit: (then) => session.afterCommit(then),
    em: session.em,
  });
  return { database: dying(database) as Database, died };
}
