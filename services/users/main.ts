import '@roster/service/early-signals';
import { CallerSigner } from '@roster/bus';
import { IdClock, runProcess } from '@roster/service';
import { bootAuditLog, bootDatabase, bootIdempotency, bootOutbox } from '@roster/service/storage';
import { auditLog } from './audit-log.js';
import { usersConfig } from './config.js';
import { entities } from './entities/index.js';
import { handlers } from './handlers.js';
import { migrations } from './migrations/index.js';
import { schema } from './service.js';

await runProcess('users', usersConfig, async (context) => {
  const { bus, config, log, onRelease } = context;
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  bootAuditLog(context, database, auditLog);
  const outbox = await bootOutbox(context, database, schema);
  const signingKey = config.CALLER_SIGNING_KEY;
  if (!signingKey)
    log.warn('CALLER_SIGNING_KEY is not set: statements about callers are not signed');
  const signer = signingKey && new CallerSigner(signingKey);
  const stop = bus.serve('users', handlers({ database, outbox, bus, ids: new IdClock(), signer }));
  onRelease(stop);
});
