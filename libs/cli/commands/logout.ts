import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { UsageError } from '../failure.js';
import { changeProfiles, localName, readProfiles } from '../profiles.js';
import { withExamples } from './examples.js';

export const logout = (run: Run) =>
  withExamples(
    new Command('logout')
      .description('Remove a profile with its key: --profile names it. The key remains valid.')
      .action(
        run(async ({ options, output, home }) => {
          const { current, profiles } = readProfiles(home);
          const name = options.profile ?? current;
          if (name === undefined || !Object.hasOwn(profiles, name))
            throw new UsageError(
              `There is no profile ${name === undefined ? 'to remove' : `"${name}"`}.`,
            );
          if (name === localName)
            throw new UsageError(
              `The profile "${localName}" is that of \`npm start\`: name another with --profile.`,
            );
          changeProfiles(({ current, profiles }) => ({
            ...(current !== undefined && current !== name && { current }),
            profiles: Object.fromEntries(Object.entries(profiles).filter(([one]) => one !== name)),
          }));
          await output.done(
            `Removed the profile "${name}". Revoke its key if it is not used elsewhere.`,
            {
              removed: name,
            },
          );
        }),
      ),
    'roster logout --profile staging',
  );
