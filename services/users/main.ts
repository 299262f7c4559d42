import '@roster/process/early-signals';
import { FailureLog } from '@roster/bus';
import { IdClock, printPublicKey, runProcess, WorkLoop } from '@roster/process';
import {
  bootAuditLog,
  bootDatabase,
  bootIdempotency,
  bootOutbox,
  startRetention,
} from '@roster/storage';
import { AdminKeys } from './keys/admin-keys.js';
import { announceExpiringKeys } from './keys/announce-expiring-keys.js';
import { auditLog, schema } from './service.js';
import { usersConfig } from './config.js';
import { entities } from './entities/index.js';
import { settleSuspensions } from './operations/suspend-workspace.js';
import { deleteNextPortion } from './operations/delete-workspace.js';
import { forgetUsage } from './operations/report-usage.js';
import { handlers } from './handlers.js';
import { purgeKeys } from './keys/purge-keys.js';
import { migrations } from './migrations/index.js';
import { openSigner } from './keys/open-signer.js';
import { providerOf } from './sessions/identity-provider.js';

const purgeEveryMs = 3_600_000;
const announceEveryMs = 600_000;
const suspensionsEveryMs = 10_000;
/** After a portion of a workspace that could not be deleted. */
const deletionPauseMs = 2000;

await runProcess('users', usersConfig, async (context) => {
  const { bus, config, log, metrics, onShutdown, waitFor } = context;
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  bootAuditLog(context, database, auditLog);
  const purge = { task: 'api-keys', everyMs: purgeEveryMs, run: () => purgeKeys(database) };
  onShutdown(startRetention({ metrics, log }, purge));
  const usage = { task: 'usage', everyMs: purgeEveryMs, run: () => forgetUsage(database) };
  onShutdown(startRetention({ metrics, log }, usage));
  const outbox = await bootOutbox(context, database, schema);
  const ids = new IdClock();
  const announce = {
    ...{ task: 'expiring-keys', everyMs: announceEveryMs },
    run: () => announceExpiringKeys({ database, outbox, ids }),
  };
  onShutdown(startRetention({ metrics, log }, announce));
  const suspend = {
    ...{ task: 'suspensions', everyMs: suspensionsEveryMs },
    run: () => settleSuspensions({ database, bus }),
  };
  onShutdown(startRetention({ metrics, log }, suspend));
  const failures = new FailureLog(log, 'failed to delete a portion of a workspace');
  const graceSeconds = config.WORKSPACE_DELETION_SECONDS;
  const deletions = new WorkLoop({
    step: () => deleteNextPortion({ database, bus, graceSeconds }),
    pauseMs: deletionPauseMs,
    onFailure: (error) => failures.warn(error),
  });
  onShutdown(() => deletions.stop());
  const signer = await waitFor(async () => openSigner(config));
  if (signer) bus.describe({ 'signing-key': printPublicKey(signer.publicKey) });
  else log.warn('CALLER_SIGNING_KEY is not set: statements about callers are not signed');
  const stop = bus.serve(
    'users',
    handlers({
      ...{ database, outbox, bus, ids, signer },
      identityProvider: providerOf(config, log),
      adminKeys: new AdminKeys(config.ADMIN_KEY_HASHES),
    }),
  );
  onShutdown(stop);
});
