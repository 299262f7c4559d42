import { Command, Option } from '@commander-js/extra-typings';
import type { DeliveryListed } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { tail } from './tail-deliveries.js';
import { first, given, kind, pageLimit, time, wholeNumber } from './values.js';

export const deliveries = (run: Run) =>
  new Command('deliveries')
    .description('Deliveries: an event sent to a webhook, with all attempts.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(retry(run))
    .addCommand(tail(run));

export const deliveryStatuses = ['pending', 'delivered', 'dead', 'skipped'] as const;

const columns: readonly Column<DeliveryListed>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'kind', of: ({ kind }) => kind },
  { name: 'status', of: ({ status }) => status },
  { name: 'attempts', of: ({ attemptCount }) => attemptCount, align: 'right' },
  { name: 'created', of: ({ createdAt }) => createdAt },
  { name: 'next attempt', of: ({ nextAttemptAt }) => nextAttemptAt },
  { name: 'contact', of: ({ subject }) => subject?.email },
  { name: 'http', of: ({ lastStatusCode }) => lastStatusCode, align: 'right' },
  { name: 'reason', of: ({ reason }) => reason },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List deliveries, newest first: of all webhooks, or of one.')
      .argument('[webhook]', 'ID')
      .addOption(new Option('--status <status>', 'only with this status').choices(deliveryStatuses))
      .option('--kind <kind>', 'only of this event kind', kind)
      .option('--http-status <status>', 'only those last answered with it: 404, 4xx, or none')
      .option('--contact <contact>', 'only of events about this contact (ID)')
      .option('--since <time>', 'only of events since a time, such as 2h ago: 2h', time)
      .option('--until <time>', 'only of events before a time', time)
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, webhookId, { limit, ...options }) => {
          const {
            status,
            kind: one,
            httpStatus: statusCode,
            contact: contactId,
            ...range
          } = options;
          const query = given({
            ...{ ...range, webhookId, statusCode, contactId, limit: pageLimit(limit) },
            ...{ status: status && [status], kind: one && [one] },
          });
          const rows = roster.deliveries.listAll(query, { signal });
          await output.list(first(rows, limit), columns, 'No delivery matches.');
        }),
      ),
    'roster deliveries list --status dead --since 2h',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show a delivery with its payload and all attempts.')
      .argument('<delivery>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.deliveries.get(id, { signal })),
        ),
      ),
    'roster deliveries get dlv_…',
  );

const retry = (run: Run) =>
  withExamples(
    new Command('retry')
      .description('Send a delivery again at once, whatever its status.')
      .argument('<delivery>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.deliveries.retry(id, { signal })),
        ),
      ),
    'roster deliveries retry dlv_…',
  );
