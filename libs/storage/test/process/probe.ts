/**
 * A minimal process with a schema and the event stream, without operations. RELEASE selects the migrations that it includes.
 */
import { Migration } from '@mikro-orm/migrations';
import { eventStreamConfig, processConfig, runProcess } from '@roster/process';
import { databaseConfig } from '@roster/storage';
import { bootDatabase, type SchemaMigration } from '../../index.js';

class First extends Migration {
  override up(): void {
    this.addSql('create table probe.things (id int primary key, old text)');
  }
}

class Second extends Migration {
  override up(): void {
    this.addSql('alter table probe.things add column new text');
  }
}

class Third extends Migration {
  override up(): void {
    this.addSql('alter table probe.things drop column old');
  }
}

class Index extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists probe.things_new');
    this.addSql('create index concurrently things_new on probe.things (new)');
  }
}

const releases: Record<string, SchemaMigration[]> = {
  first: [{ name: '1-first', class: First }],
  second: [
    { name: '1-first', class: First },
    { name: '2-second', class: Second },
  ],
  indexed: [
    { name: '1-first', class: First },
    { name: '2-second', class: Second },
    { name: '3-index', class: Index },
  ],
  third: [
    { name: '1-first', class: First },
    { name: '2-second', class: Second },
    { name: '3-third', class: Third, requires: '2-second' },
  ],
};

const schema = processConfig.extend(databaseConfig.shape).extend(eventStreamConfig.shape);

await runProcess('probe', schema, async (context) => {
  const migrations = releases[process.env['RELEASE'] ?? 'first']!;
  await bootDatabase(context, { schema: 'probe', entities: [], migrations });
  const { bus, config } = context;
  await context.waitFor(() =>
    bus.openEvents({
      replicas: config.EVENTS_REPLICAS,
      maxAgeSeconds: config.EVENTS_MAX_AGE_SECONDS,
    }),
  );
});
