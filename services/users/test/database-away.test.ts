import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { CallerSigner, handleBatch } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import { IdClock, openLog } from '@roster/process';
import { openDatabase, type Outbox } from '@roster/storage';
import { checkDatabaseFaults } from '@roster/testing';
import test from 'ava';
import { AdminKeys } from '../keys/admin-keys.js';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';

test('while PostgreSQL is unreachable, operations answer unavailable, except writes whose statement was sent: timeout', async (t) => {
  await checkDatabaseFaults(t, {
    service: 'users',
    handleBatch,
    independent: [
      ...['caller-keys.get', 'identity-sign-ins.describe', 'identity-sign-ins.start'],
      'admin-keys.verify',
    ],
    inputs: {
      'usage.report': {
        ...{ gateway: randomUUID(), sequence: 1, day: '2026-01-31' },
        requests: [{ workspaceId: encodeId('workspace', randomUUID()), requests: 1 }],
      },
      'keys.verify': { sha256: '0'.repeat(64) },
      'sessions.open': {
        by: { kind: 'link', sha256: '0'.repeat(64) },
        session: '0'.repeat(64),
      },
    },
    async open(url) {
      const log = openLog(schema, 'silent');
      const database = await openDatabase({
        ...{ url, schema, poolMax: 2, entities, migrations, log },
        silentMs: 300,
      });
      const outbox = { publish: () => undefined } as unknown as Outbox;
      // The audit log of webhooks.
      const call = async () => ({ entries: [], pagination: { limit: 1, next: null } }) as never;
      return {
        database,
        handlers: handlers({
          database,
          outbox,
          bus: { broadcast: () => undefined, stream: undefined as never, call },
          ids: new IdClock(),
          adminKeys: new AdminKeys(['0'.repeat(64)]),
          identityProvider: {
            host: 'id.example.com',
            start: async () => ({ url: '', redirectUri: '', attempt: '' }),
            finish: async () => ({ issuer: 'https://id.example.com', subject: 'ada' }),
          },
          signer: new CallerSigner({ id: 'k1', key: generateKeyPairSync('ed25519').privateKey }),
        }),
      };
    },
  });
});
