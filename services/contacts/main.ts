import '@roster/process/early-signals';
import { IdClock, runProcess, WakeableSleep } from '@roster/process';
import { bootAuditLog, bootDatabase, bootIdempotency, bootOutbox } from '@roster/storage';
import { contactsConfig } from './config.js';
import { openDefinitionCache } from './writing/definitions/definition-cache.js';
import { entities } from './entities/index.js';
import { handlers } from './handlers.js';
import { bootImports } from './imports/boot-imports.js';
import { migrations } from './migrations/index.js';
import { auditLog, schema } from './service.js';
import { UnsubscribeLinks } from './reading/unsubscribe-links.js';

await runProcess('contacts', contactsConfig, async (context) => {
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  bootAuditLog(context, database, auditLog);
  const outbox = await bootOutbox(context, database, schema);
  const { bus } = context;
  const definitions = openDefinitionCache(bus);
  const links = new UnsubscribeLinks(database, context.config.PUBLIC_URL);
  const imports = new WakeableSleep();
  const service = { database, outbox, bus, definitions, links, imports, ids: new IdClock() };
  bootImports(context, service);
  const stop = bus.serve('contacts', handlers(service));
  context.onShutdown(stop);
});
