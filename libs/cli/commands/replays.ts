import { setTimeout as delay } from 'node:timers/promises';

import { Command, Option } from '@commander-js/extra-typings';
import type { Replay } from '@roster/client';

import type { Context, Run } from '../context.js';
import type { Column } from '../output.js';
import { deliveryStatuses } from './deliveries.js';
import { withExamples } from './examples.js';
import { bar } from './progress-bar.js';
import { first, given, kinds, pageLimit, time, wholeNumber } from './values.js';

export const replays = (run: Run) =>
  new Command('replays')
    .description('Replays: the deliveries of a webhook in a range of time, sent again.')
    .addCommand(list(run))
    .addCommand(create(run))
    .addCommand(get(run))
    .addCommand(cancel(run));

const columns: readonly Column<Replay>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'status', of: ({ status }) => status },
  { name: 'done', of: ({ done }) => done, align: 'right' },
  { name: 'total', of: ({ total }) => total, align: 'right' },
  { name: 'since', of: ({ since }) => since },
  { name: 'until', of: ({ until }) => until },
  { name: 'started', of: ({ createdAt }) => createdAt },
  { name: 'webhook', of: ({ webhookId }) => webhookId, whole: true },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List replays, newest first: of all webhooks, or of one.')
      .argument('[webhook]', 'ID')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, webhookId, { limit }) => {
          const query = given({ webhookId, limit: pageLimit(limit) });
          const rows = roster.replays.list(query, { signal });
          await output.list(first(rows, limit), columns, 'There is no replay.');
        }),
      ),
    'roster replays list --limit 5',
  );

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Send the deliveries of a webhook again. Ends when all of them are queued.')
      .argument('<webhook>', 'ID')
      .requiredOption('--since <time>', 'deliveries since a time, such as 2h ago: 2h', time)
      .option('--until <time>', 'deliveries before a time; now by default', time)
      .addOption(new Option('--status <status>', 'only with this status').choices(deliveryStatuses))
      .option('--kinds <kinds>', 'only of these event kinds, separated by commas', kinds)
      .option('--dry-run', 'count the deliveries without sending them')
      .option('--no-wait', 'do not wait until all of them are queued')
      .action(
        run(async (context, webhook, { wait, ...input }) => {
          const { roster, output, signal } = context;
          const started = await roster.replays.create(webhook, given(input), { signal });
          await output.item(wait ? await follow(context, started) : started);
        }),
      ),
    'roster replays create wh_… --since 2h --status dead',
  );

const intervalMs = 500;

/** Shows the progress until the replay has ended. */
async function follow({ roster, output, signal }: Context, started: Replay): Promise<Replay> {
  let replay = started;
  const { id } = started;
  // A dry run has no ID.
  if (id === null) return started;
  try {
    while (replay.status === 'running') {
      const { done, total } = replay;
      output.status(`Replaying: ${bar(done, total)} ${done} of ${total} deliveries`);
      await delay(intervalMs, undefined, { signal });
      replay = await roster.replays.get(id, { signal });
    }
    return replay;
  } catch (error) {
    output.status(undefined);
    output.note(
      `${id} continues: go on with \`roster replays get ${id}\`, or end it with \`roster replays cancel ${id}\`.`,
    );
    signal.throwIfAborted();
    throw error;
  } finally {
    output.status(undefined);
  }
}

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show the progress of a replay.')
      .argument('<replay>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.replays.get(id, { signal })),
        ),
      ),
    'roster replays get rpl_…',
  );

const cancel = (run: Run) =>
  withExamples(
    new Command('cancel')
      .description('Cancel a replay. Deliveries that are queued already are still sent.')
      .argument('<replay>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.replays.cancel(id, { signal })),
        ),
      ),
    'roster replays cancel rpl_…',
  );
