import { Command } from '@commander-js/extra-typings';
import type { AuditEntry, ListAuditLogInput } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { first, given, pageLimit, time, wholeNumber } from './values.js';

export const audit = (run: Run) =>
  new Command('audit').description('The audit log of the workspace.').addCommand(list(run));

const columns: readonly Column<AuditEntry>[] = [
  { name: 'at', of: ({ createdAt }) => createdAt, whole: true },
  { name: 'action', of: ({ action }) => action },
  { name: 'resource', of: ({ resourceId }) => resourceId },
  { name: 'actor', of: ({ actor, actorName, actorType }) => actorName ?? actor ?? actorType },
  { name: 'address', of: ({ address }) => address },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List the audit log, newest first.')
      .option('--action <action>', 'only entries with this action, such as webhook.created')
      .option('--actor <user>', 'only entries of this user')
      .option('--since <time>', 'only entries since a time, such as 2h ago: 2h', time)
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit, ...filter }) => {
          const query = given({ ...filter, limit: pageLimit(limit) });
          // The server names the actions it knows.
          const rows = roster.auditLog.list(query as ListAuditLogInput, { signal });
          await output.list(first(rows, limit), columns, 'No entry matches.');
        }),
      ),
    'roster audit list --since 1d --limit 20',
  );
