import '@roster/service/early-signals';
import { runProcess } from '@roster/service';
import { bootDatabase, bootIdempotency } from '@roster/service/storage';
import { dispatcherConfig } from './config.js';
import { startDispatcher } from './dispatcher.js';
import { entities } from './entities/index.js';
import { migrations } from './migrations/index.js';
import { schema } from './service.js';

await runProcess('dispatcher', dispatcherConfig, async (context) => {
  const database = await bootDatabase(context, { schema, entities, migrations });
  bootIdempotency(context, database, schema);
  context.onRelease(await startDispatcher({ ...context, database }));
});
