import { Command } from '@commander-js/extra-typings';
import type { EventListed } from '@roster/client';

import type { Run } from '../context.js';
import { exitCodes } from '../failure.js';
import { KeptPosition } from '../listen/kept-position.js';
import { isSuccess, report, send } from '../listen/send-event.js';
import { handlerUrl } from '../listen/options.js';
import { printable, toJson, type Column } from '../output.js';
import { withExamples } from './examples.js';
import { first, given, kinds, pageLimit, time, wholeNumber } from './values.js';

export const events = (run: Run) =>
  new Command('events')
    .description('The event log: what happened in the workspace, in the order of publication.')
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(tail(run))
    .addCommand(resend(run));

const columns: readonly Column<EventListed>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'kind', of: ({ kind }) => kind },
  { name: 'created', of: ({ createdAt }) => createdAt },
  { name: 'of', of: subjectOf },
];

/** Of whom or what an event is. */
function subjectOf({ data }: EventListed): string {
  const { contact, user, import: ended } = data as Record<string, { id: string; email?: string }>;
  const subject = contact ?? user ?? ended;
  return subject?.email ?? subject?.id ?? '';
}

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List events, oldest first.')
      .option('--newest-first', 'newest first')
      .option('--contact <contact>', 'only of this contact (ID)')
      .option('--since <time>', 'since a time, such as 2h ago: 2h', time)
      .option('--events <kinds>', 'only of these kinds, separated by commas', kinds)
      .option('--after <event>', 'only events that were published after this one')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(
          async ({ roster, output, signal }, { limit, events, newestFirst, contact, ...range }) => {
            const query = given({
              ...{ ...range, kinds: events, contactId: contact, limit: pageLimit(limit) },
              order: newestFirst && ('desc' as const),
            });
            const rows = roster.eventLog.list(query, { signal });
            await output.list(first(rows, limit), columns, 'No event matches.');
          },
        ),
      ),
    'roster events list --since 2h',
    'roster events list --since 2h --events CONTACT_DELETED',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show an event with its deliveries.')
      .argument('<event>', 'ID')
      .action(
        run(async ({ roster, output, signal }, id) =>
          output.item(await roster.eventLog.get(id, { signal })),
        ),
      ),
    'roster events get evt_…',
  );

const tail = (run: Run) =>
  withExamples(
    new Command('tail')
      .description('Print events as they are published, for ever, without a gap.')
      .option('--since <time>', 'begin with events since a time, such as 2h ago: 2h', time)
      .option('--events <kinds>', 'only of these kinds, separated by commas', kinds)
      .option('--after <position>', 'begin after an event, or after `position` of a printed one')
      .action(
        run(async ({ roster, output, signal }, { events, since, after }) => {
          let isLost = false;
          const following = roster.events({
            ...given({ since, after, kinds: events }),
            signal,
            onPage: () => (isLost = false),
            onTrouble(error) {
              if (!isLost) output.note(`${printable(error.message)} Trying again.`);
              isLost = true;
            },
          });
          for await (const event of following) {
            const { createdAt, kind, id } = event;
            const line = [createdAt, kind.padEnd(20), id, subjectOf(event)].map(printable);
            await output.write(`${output.isTable ? line.join('  ') : toJson(event)}\n`);
            if (output.isClosed) return;
          }
        }),
      ),
    'roster events tail',
    'roster events tail --since 1h --events CONTACT_CREATED',
  );

const resend = (run: Run) =>
  withExamples(
    new Command('resend')
      .description(
        'Send an event to a handler on this machine again, signed with the secret of `roster listen` for this address. Ends with 1 unless it is answered with 2xx.',
      )
      .argument('<event>', 'ID')
      .requiredOption('--forward-to <url>', 'address of the handler', handlerUrl)
      .action(
        run(async ({ roster, profile, output, signal }, id, { forwardTo }) => {
          const event = await roster.eventLog.get(id, { signal });
          const { workspace } = await roster.key.get({ signal });
          const name = { url: profile.url, workspaceId: workspace.id, forwardTo: forwardTo.href };
          const { webhook } = KeptPosition.open(name);
          output.note(`Signing secret: ${webhook.secret}`);
          const outcome = await send(event, webhook, forwardTo);
          await report(event, { ...outcome, attempt: 1 }, output);
          const isDone = 'status' in outcome && isSuccess(outcome.status);
          return isDone ? exitCodes.ok : exitCodes.fault;
        }),
      ),
    'roster events resend evt_… --forward-to http://localhost:3000/hook',
  );
