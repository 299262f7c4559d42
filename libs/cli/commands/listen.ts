import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { handlerUrl, parseFilter } from '../listen/options.js';
import { listen as listenTo } from '../listen/listen.js';
import { resolveProfile } from '../profiles.js';
import { version } from '../version.js';
import { withExamples } from './examples.js';
import { collect, given, kinds, time } from './values.js';

export const listen = (run: Run) =>
  withExamples(
    new Command('listen')
      .description(
        'Send the events of the workspace to a handler on this machine, signed as deliveries, for ever. It needs no public address. The position is kept when the handler has answered: a restart continues with the next event, and without a position it begins now.',
      )
      .requiredOption('--forward-to <url>', 'address of the handler', handlerUrl)
      .option('--events <kinds>', 'only events of these kinds, separated by commas', kinds)
      .option('--since <time>', 'begin with events since a time, such as 2h ago: 2h', time)
      .option(
        '--filter <path=value>',
        'only events whose body has this value; all of several',
        collect,
      )
      .option('--retry', 'send an event again until the handler answers with 2xx')
      .action(
        run(async ({ options, profile, home, output, signal }, chosen) => {
          const { forwardTo, events, since, retry = false } = chosen;
          await listenTo({
            ...{ url: profile.url, forwardTo, retry, output, signal },
            ...given({ kinds: events, since }),
            userAgent: `roster-cli/${version}`,
            readKey: () => resolveProfile(options, home).apiKey,
            accepts: parseFilter(chosen.filter ?? []),
          });
        }),
      ),
    'roster listen --forward-to http://localhost:3000/hook',
    'roster listen --forward-to http://localhost:3000/hook --events CONTACT_CREATED,CONTACT_DELETED --since 2h',
    'roster listen --forward-to http://localhost:3000/hook --filter data.contact.email=ada@example.com',
  );
