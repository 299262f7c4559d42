import { Migration } from '@mikro-orm/migrations';
import { outboxIndexes } from '@roster/service/storage';

export class IndexOutbox extends Migration {
  override up(): void {
    for (const statement of outboxIndexes('contacts')) this.addSql(statement);
  }
}
