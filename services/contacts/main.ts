import '@roster/service/early-signals';
import { IdClock, runProcess } from '@roster/service';
import { bootDatabase, bootIdempotency, bootOutbox } from '@roster/service/storage';
import { contactsConfig } from './config.js';
import { entities } from './entities/index.js';
import { handlers } from './handlers.js';
import { migrations } from './migrations/index.js';
import { schema } from './service.js';

await runProcess('contacts', contactsConfig, async (context) => {
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  const outbox = await bootOutbox(context, database, schema);
  const stop = context.bus.serve('contacts', handlers({ database, outbox, ids: new IdClock() }));
  context.onRelease(stop);
});
