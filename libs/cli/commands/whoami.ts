import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { withExamples } from './examples.js';

export const whoami = (run: Run) =>
  withExamples(
    new Command('whoami')
      .description('Show the address, workspace, user and scopes of the key in use.')
      .action(
        run(async ({ roster, profile, output, signal }) => {
          const { name = null, url } = profile;
          await output.item({ profile: name, url, ...(await roster.key.get({ signal })) });
        }),
      ),
    'roster whoami',
  );
