import { handleBatch } from '@roster/bus';
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { encodeId } from '@roster/contracts';
import { IdClock, openLog } from '@roster/process';
import { openDatabase, type Outbox } from '@roster/storage';
import { TargetPolicy } from '@roster/process/targets';
import { checkDatabaseFaults } from '@roster/testing';
import test from 'ava';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { schema, type WebhooksService } from '../service.js';
import { TokenCipher } from '../secrets/token-cipher.js';

test('while PostgreSQL is unreachable, operations answer unavailable, except writes whose statement was sent: timeout', async (t) => {
  await checkDatabaseFaults(t, {
    service: 'webhooks',
    handleBatch,
    inputs: {
      'webhooks.report-health': {
        workspaceId: encodeId('workspace', randomUUID()),
        webhookId: encodeId('webhook', randomUUID()),
        lastSuccessAt: null,
        lastFailureAt: null,
        failingSince: null,
      },
    },
    async open(url) {
      const log = openLog(schema, 'silent');
      const database = await openDatabase({
        ...{ url, schema, poolMax: 2, entities, migrations, log },
        silentMs: 300,
      });
      const service: WebhooksService = {
        database,
        outbox: { add: () => Promise.resolve() } as unknown as Outbox,
        bus: {
          broadcast: () => undefined,
          streamPosition: () => Promise.resolve(null),
          stream: undefined as never,
        },
        ids: new IdClock(),
        cipher: new TokenCipher([{ id: 'test', key: createSecretKey(randomBytes(32)) }]),
        targets: new TargetPolicy({ allow: [], deny: [], allowHttp: true }),
        failingDaysMax: 5,
        log: { warn: () => undefined },
      };
      return { database, handlers: handlers(service) };
    },
  });
});
