/** Runs the monolith's statement of a job in a loop: the upper limit of any program that uses the statement. */
import pg from 'pg';
import type { DataSet } from '../data/data-set.js';
import { seededRandom } from '../load/random.js';
import { statements } from './statements.js';

export interface DriverOrder {
  job: string;
  databaseUrl: string;
  dataSet: DataSet;
  connections: number;
  warmSeconds: number;
  seconds: number;
}

process.on('message', (order: DriverOrder) => {
  void drive(order).then((perSecond) => process.send?.({ perSecond }));
});
process.on('disconnect', () => process.exit());

async function drive(order: DriverOrder): Promise<number> {
  const { job, databaseUrl, dataSet, connections, warmSeconds, seconds } = order;
  const { name, text, values } = statements[job]!;
  const next = values(dataSet, seededRandom(Date.now()));
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: databaseUrl }),
  );
  await Promise.all(clients.map((client) => client.connect()));
  const from = performance.now() + warmSeconds * 1000;
  const until = from + seconds * 1000;
  let done = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let now = 0; now < until; now = performance.now()) {
        await client.query({ name, text, values: next() });
        if (now >= from) done += 1;
      }
    }),
  );
  // Events that must not be published.
  await clients[0]!.query('delete from contacts.outbox where stream_seq is null');
  await Promise.all(clients.map((client) => client.end()));
  return done / seconds;
}
