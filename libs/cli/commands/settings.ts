import { Command, Option } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { withExamples } from './examples.js';

export const settings = (run: Run) =>
  new Command('settings')
    .description('Settings of the workspace.')
    .addCommand(get(run))
    .addCommand(set(run));

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show the settings.')
      .action(
        run(async ({ roster, output, signal }) =>
          output.item(await roster.settings.get({ signal })),
        ),
      ),
    'roster settings get',
  );

const set = (run: Run) =>
  withExamples(
    new Command('set')
      .description('Change the settings.')
      .addOption(
        new Option('--strict-properties <value>', 'whether properties must be defined first')
          .choices(['true', 'false'] as const)
          .makeOptionMandatory(),
      )
      .action(
        run(async ({ roster, output, signal }, { strictProperties }) =>
          output.item(
            await roster.settings.update(
              { strictProperties: strictProperties === 'true' },
              { signal },
            ),
          ),
        ),
      ),
    'roster settings set --strict-properties false',
  );
