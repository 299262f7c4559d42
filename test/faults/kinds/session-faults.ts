import pg from 'pg';
import type { Fault } from '../random-faults.js';

/** Statements of a session that then does nothing more for a while, as a paused replica or a person at `psql`. */
const heldLocks = {
  'the newest contact': `select from contacts.contacts order by id desc limit 1 for update`,
  'the number of contacts': `select from contacts.counters for update`,
  'the outbox checkpoint': `select from contacts.outbox_checkpoint for update`,
  'unmarked events': `select from contacts.outbox where stream_seq is null for update`,
  'due deliveries': `select from dispatcher.queue order by due_at limit 100 for update`,
  'every webhook': `select from webhooks.webhooks for update`,
};

/** Sessions that hold locks, or take the connections that the services need. */
export const sessionFaults = (databaseUrl: string): Fault[] => [
  ...Object.entries(heldLocks).map(([rows, statement]) => ({
    name: `a session locks ${rows}`,
    inflict: (wait: () => Promise<void>) =>
      withSession(databaseUrl, async (session) => {
        await session.query('begin');
        await session.query(statement);
        await wait();
        await session.query('rollback');
      }),
  })),
  {
    name: 'every connection is taken',
    async inflict(wait) {
      const sessions: pg.Client[] = [];
      for (let next = await open(databaseUrl); next; next = await open(databaseUrl))
        sessions.push(next);
      await wait();
      await Promise.all(sessions.map((session) => session.end()));
      return sessions.length > 0;
    },
  },
  {
    name: 'the connections of the services are ended',
    inflict: (wait) =>
      withSession(databaseUrl, async (session) => {
        await session.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        await wait();
      }),
  },
];

async function withSession(
  databaseUrl: string,
  use: (session: pg.Client) => Promise<void>,
): Promise<boolean> {
  const session = await open(databaseUrl);
  if (!session) return false;
  try {
    await use(session);
  } finally {
    await session.end();
  }
  return true;
}

/** Undefined if the server accepts no further connection. */
async function open(databaseUrl: string): Promise<pg.Client | undefined> {
  const session = new pg.Client({ connectionString: databaseUrl });
  session.on('error', () => undefined);
  return session.connect().then(
    () => session,
    () => undefined,
  );
}
