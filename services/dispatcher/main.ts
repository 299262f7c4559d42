import '@roster/process/early-signals';
import { runProcess } from '@roster/process';
import { bootAuditLog, bootDatabase, bootIdempotency, bootOutbox } from '@roster/storage';
import { dispatcherConfig } from './config.js';
import { startDispatcher } from './dispatcher.js';
import { entities } from './entities/index.js';
import { migrations } from './migrations/index.js';
import { auditLog, schema } from './service.js';

await runProcess('dispatcher', dispatcherConfig, async (context) => {
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  bootAuditLog(context, database, auditLog);
  const outbox = await bootOutbox(context, database, schema);
  context.onShutdown(await startDispatcher({ ...context, database, outbox }));
});
