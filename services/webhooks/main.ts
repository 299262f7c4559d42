import '@roster/process/early-signals';
import { IdClock, runProcess } from '@roster/process';
import { bootAuditLog, bootDatabase, bootIdempotency, bootOutbox } from '@roster/storage';
import { targetPolicyOf } from '@roster/process/targets';
import { auditLog, schema } from './service.js';
import { webhooksConfig } from './config.js';
import { handlers } from './handlers.js';
import { migrations } from './migrations/index.js';
import { startReencryption } from './secrets/reencrypt-tokens.js';
import { requireKeysInUse, watchMissingKeys } from './secrets/keys-in-use.js';
import { TokenCipher } from './secrets/token-cipher.js';
import { entities } from './entities/index.js';

await runProcess('webhooks', webhooksConfig, async (context) => {
  const { bus, config, log, onShutdown, waitFor } = context;
  const cipher = new TokenCipher(config.TOKEN_KEYS);
  bus.describe({ 'token-keys': config.TOKEN_KEYS.map(({ id }) => id).join(' ') });
  const database = await bootDatabase(context, { schema, entities, migrations });
  await waitFor(() => requireKeysInUse(database, cipher));
  watchMissingKeys(context, database, cipher);
  startReencryption(context, database, cipher);
  bootIdempotency(context, database, schema);
  bootAuditLog(context, database, auditLog);
  const outbox = await bootOutbox(context, database, schema);
  const service = {
    database,
    outbox,
    bus,
    ids: new IdClock(),
    cipher,
    targets: targetPolicyOf(config),
    failingDaysMax: config.FAILING_DAYS_MAX,
    log,
  };
  const stop = bus.serve('webhooks', handlers(service));
  onShutdown(stop);
});
