import { Migration } from '@mikro-orm/migrations';

/** The traces of the requests that created jobs. Processes of the former release leave them out, and ignore them. */
export class AddTraceOfJobs extends Migration {
  override up(): void {
    this.addSql('alter table contacts.imports add column trace text');
    this.addSql('alter table contacts.actions add column trace text');
    this.addSql('alter table contacts.erasures add column trace text');
  }
}
