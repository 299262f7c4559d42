import type { ProcessContext } from '@roster/service';
import { startRetention } from '@roster/service/storage';
import { Counter } from 'prom-client';
import type { ContactsService } from '../service.js';
import { expireImports } from './expire-imports.js';
import { ImportRunner } from './import-runner.js';

const expireEveryMs = 60_000;

/** Starts the imports of this process, and the task that ends abandoned uploads and deletes old imports. */
export function bootImports(
  { log, metrics, onRelease }: Pick<ProcessContext<unknown>, 'log' | 'metrics' | 'onRelease'>,
  service: ContactsService,
): void {
  const rows = new Counter({
    name: 'roster_import_rows_total',
    help: 'Rows of imports that were applied, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const runner = new ImportRunner(service, {
    log,
    onApplied(counts) {
      for (const [outcome, count] of Object.entries(counts)) rows.inc({ outcome }, count);
    },
  });
  onRelease(() => runner.stop());
  const task = {
    task: 'imports',
    everyMs: expireEveryMs,
    run: () => expireImports(service.database),
  };
  onRelease(startRetention({ metrics, log }, task));
}
