import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { withExamples } from './examples.js';
import { given, scopeNames, separate, wholeNumber } from './values.js';

export const tokens = (run: Run) =>
  new Command('tokens').description('Browser tokens.').addCommand(create(run));

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Create a browser token, which can do what its key can, or less.')
      .option(
        '--scopes <scopes>',
        'api_user, user or both; those of the key by default',
        scopeNames,
      )
      .option('--read-only', 'the token can only read')
      .option('--operations <names>', 'the only operations it can call, by commas', separate)
      .option('--expires-in-seconds <seconds>', 'how long it is valid', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, options) =>
          output.item(await roster.tokens.create(given(options), { signal })),
        ),
      ),
    'roster tokens create --read-only --operations contacts.list --expires-in-seconds 600',
  );
