import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { withExamples } from './examples.js';
import { given, wholeNumber } from './values.js';

export const consoleCommands = (run: Run) =>
  new Command('console').description('The console in a browser.').addCommand(link(run));

const link = (run: Run) =>
  withExamples(
    new Command('link')
      .description('Print an address that signs in to the console once, as the user of the key.')
      .option('--expires-in-seconds <seconds>', '60 to 300; 300 by default', wholeNumber)
      .action(
        run(async ({ roster, profile, output, signal }, options) => {
          const { path, expiresAt } = await roster.sessionLinks.create(given(options), { signal });
          const url = `${profile.url}/${path}`;
          await output.done(url, { url, expiresAt });
        }),
      ),
    'roster console link',
  );
