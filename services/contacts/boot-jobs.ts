import type { ProcessContext } from '@roster/process';
import { startRetention } from '@roster/storage';
import { Counter } from 'prom-client';
import type { ContactsService } from './service.js';
import type { Counts } from './imports/apply-slice.js';
import { ActionJobs } from './actions/action-jobs.js';
import type { ActionCounts } from './actions/apply-action.js';
import { expireActions } from './actions/expire-actions.js';
import { expireImports } from './imports/expire-imports.js';
import { ErasureJobs, type ErasureParts } from './erasures/erasure-jobs.js';
import { ImportJobs } from './imports/import-jobs.js';
import { countContacts } from './operations/usage.js';
import { JobRunner } from './jobs/job-runner.js';

const expireEveryMs = 60_000;
const usageEveryMs = 600_000;
const actionOutcomes = ['changed', 'unchanged', 'failed'] satisfies (keyof ActionCounts)[];
const outcomes = ['created', 'updated', 'skipped', 'failed'] satisfies (keyof Counts)[];

/**
 * Starts the jobs of this process, the task that ends abandoned uploads and deletes old imports and actions, and the one that counts the
 * contacts of workspaces.
 */
export function bootJobs(
  { log, metrics, onShutdown }: Pick<ProcessContext<unknown>, 'log' | 'metrics' | 'onShutdown'>,
  service: ContactsService,
  erasing: ErasureParts,
): void {
  const rows = new Counter({
    name: 'roster_import_rows_total',
    help: 'Rows of imports that were applied, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of outcomes) rows.inc({ outcome }, 0);
  const imports = new ImportJobs(service, (counts) => {
    for (const [outcome, count] of Object.entries(counts)) rows.inc({ outcome }, count);
  });
  const contacts = new Counter({
    name: 'roster_action_contacts_total',
    help: 'Contacts that actions were applied to, or counted by dry runs, by outcome.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of actionOutcomes) contacts.inc({ outcome }, 0);
  const actions = new ActionJobs(service, (counts) => {
    for (const outcome of actionOutcomes) contacts.inc({ outcome }, counts[outcome]);
  });
  const erasures = new ErasureJobs(service, erasing);
  const runner = new JobRunner(service, [imports, actions, erasures], { log });
  onShutdown(() => runner.stop());
  const task = {
    task: 'imports',
    everyMs: expireEveryMs,
    run: async () => {
      await expireImports(service);
      await expireActions(service.database);
    },
  };
  onShutdown(startRetention({ metrics, log }, task));
  const usage = {
    ...{ task: 'usage', everyMs: usageEveryMs },
    run: () => countContacts(service.database),
  };
  onShutdown(startRetention({ metrics, log }, usage));
}
