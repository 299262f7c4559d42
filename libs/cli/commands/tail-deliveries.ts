import { setTimeout as delay } from 'node:timers/promises';

import { Command } from '@commander-js/extra-typings';
import type { DeliveryListed } from '@roster/client';

import type { Run } from '../context.js';
import { printable, toJson } from '../output.js';
import { withExamples } from './examples.js';
import { kind, time } from './values.js';

/** How long a delivery is watched after its event. */
const watchedMs = 120_000;
/** Deliveries that are read in one turn. */
const readMax = 1000;
const intervalMs = 1000;

export const tail = (run: Run) =>
  withExamples(
    new Command('tail')
      .description(
        'Print the deliveries of a webhook as they are made, and each change of them within 2 minutes, for ever. `roster events tail` leaves out no event, this may after more than 1,000 deliveries within 2 minutes.',
      )
      .requiredOption('--webhook <webhook>', 'ID')
      .option('--kind <kind>', 'only of this event kind', kind)
      .option('--since <time>', 'begin with deliveries of events since a time', time)
      .action(
        run(async ({ roster, output, signal }, { webhook, since, ...filter }) => {
          let watchedSince = since ?? new Date().toISOString();
          const known = new Map<string, string>();
          for (;;) {
            const query = { ...filter, since: watchedSince, limit: 100 };
            const found: DeliveryListed[] = [];
            for await (const delivery of roster.deliveries.list(webhook, query, { signal })) {
              found.push(delivery);
              if (found.length === readMax) break;
            }
            for (const delivery of found.toReversed()) {
              const { id, kind, status, attemptCount, reason, createdAt } = delivery;
              const state = `${status} ${attemptCount}`;
              if (known.get(id) === state) continue;
              known.set(id, state);
              const line = [
                createdAt,
                id,
                kind.padEnd(20),
                status,
                `${attemptCount}`,
                reason ?? '',
              ];
              await output.write(
                `${output.isTable ? line.map(printable).join('  ') : toJson(delivery)}\n`,
              );
              if (output.isClosed) return;
            }
            const last = new Date(Date.now() - watchedMs).toISOString();
            if (last > watchedSince) watchedSince = last;
            for (const id of [...known.keys()].slice(0, -readMax)) known.delete(id);
            await delay(intervalMs, undefined, { signal }).catch(() => {});
            signal.throwIfAborted();
          }
        }),
      ),
    'roster deliveries tail --webhook wh_…',
  );
