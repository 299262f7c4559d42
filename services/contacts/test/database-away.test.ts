import { handleBatch } from '@roster/bus';
import { openLog } from '@roster/process';
import { openDatabase } from '@roster/storage';
import { checkDatabaseFaults } from '@roster/testing';
import test from 'ava';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';
import { serviceOn } from './service-on.js';

test('while PostgreSQL is unreachable, operations answer unavailable, except writes whose statement was sent: timeout', async (t) => {
  await checkDatabaseFaults(t, {
    service: 'contacts',
    handleBatch,
    async open(url) {
      const log = openLog(schema, 'silent');
      const database = await openDatabase({
        ...{ url, schema, poolMax: 2, entities, migrations, log },
        silentMs: 300,
      });
      return { database, handlers: handlers(serviceOn(database)) };
    },
  });
});
