import '@roster/service/early-signals';
import { IdClock, runProcess } from '@roster/service';
import { bootDatabase, bootIdempotency, bootOutbox } from '@roster/service/storage';
import { usersConfig } from './config.js';
import { entities } from './entities/index.js';
import { handlers } from './handlers.js';
import { migrations } from './migrations/index.js';
import { schema } from './service.js';

await runProcess('users', usersConfig, async (context) => {
  const { bus, onRelease } = context;
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  const outbox = await bootOutbox(context, database, schema);
  const stop = bus.serve('users', handlers({ database, outbox, bus, ids: new IdClock() }));
  onRelease(stop);
});
