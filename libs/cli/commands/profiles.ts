import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { changeProfiles, localName, readProfiles } from '../profiles.js';
import { UsageError } from '../failure.js';
import { withExamples } from './examples.js';

export const profiles = (run: Run) =>
  new Command('profiles').addCommand(list(run)).addCommand(use(run));

const list = (run: Run) =>
  withExamples(
    new Command('list').description('List the stored profiles. Keys are not shown.').action(
      run(async ({ output, home }) => {
        const { current, profiles } = readProfiles(home);
        const rows = Object.entries(profiles).map(([name, { url }]) => ({
          name,
          url,
          isDefault: name === current,
        }));
        await output.list(
          rows,
          [
            { name: 'name', of: ({ name }) => name },
            { name: 'url', of: ({ url }) => url },
            { name: 'default', of: ({ isDefault }) => (isDefault ? 'yes' : '') },
          ],
          'No profile is stored: run `roster login`.',
        );
      }),
    ),
    'roster profiles list',
  );

const use = (run: Run) =>
  withExamples(
    new Command('use')
      .description('Choose the profile that commands use by default.')
      .argument('<name>')
      .action(
        run(async ({ output, home }, name) => {
          const { current, profiles } = readProfiles(home);
          if (!Object.hasOwn(profiles, name))
            throw new UsageError(`There is no profile "${name}": see \`roster profiles list\`.`);
          if (current === localName && name !== localName)
            throw new UsageError(
              `With ROSTER_HOME, the default is the profile "${localName}": pass --profile ${name}.`,
            );
          if (name !== localName) changeProfiles((stored) => ({ ...stored, current: name }));
          output.note(`Commands now use the profile "${name}".`);
        }),
      ),
    'roster profiles use staging',
  );
