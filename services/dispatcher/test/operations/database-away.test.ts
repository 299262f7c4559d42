import { handleBatch } from '@roster/bus';
import { IdClock, openLog } from '@roster/process';
import { openDatabase } from '@roster/storage';
import { checkDatabaseFaults } from '@roster/testing';
import test from 'ava';
import { entities } from '../../entities/index.js';
import { handlers } from '../../handlers.js';
import { migrations } from '../../migrations/index.js';
import { Partitions } from '../../queue/partitions.js';
import { schema, type DispatcherService } from '../../service.js';

test('while PostgreSQL is unreachable, operations answer unavailable, except writes whose statement was sent: timeout', async (t) => {
  await checkDatabaseFaults(t, {
    service: 'dispatcher',
    handleBatch,
    independent: ['dispatcher.is-acknowledged', 'event-log.list', 'meta.get'],
    async open(url) {
      const log = openLog(schema, 'silent');
      const database = await openDatabase({
        ...{ url, schema, poolMax: 2, entities, migrations, log },
        silentMs: 300,
      });
      const service = {
        database,
        partitions: new Partitions(database, 30),
        queue: { due: () => undefined },
        replays: { wake: () => undefined },
        activity: { replayChanged: () => undefined, queuedAgain: () => undefined },
        subscriptions: { one: async () => ({ disabledReason: null }) },
        ids: new IdClock(),
        sourceAddresses: [],
        acknowledgedSequence: async () => 0,
        stream: {
          bounds: async () => ({ created: '', first: 1, last: 0 }),
          sequenceSince: async () => undefined,
        },
        log: { readEvents: async function* () {}, newestEvent: async () => undefined },
      } as unknown as DispatcherService;
      return { database, handlers: handlers(service) };
    },
  });
});
