import { Command } from '@commander-js/extra-typings';
import type { ContactAction } from '@roster/client';

import type { Context, Run } from '../context.js';
import { UsageError, type ExitCode } from '../failure.js';
import { printable } from '../output.js';
import { withExamples } from './examples.js';
import { followAction, report } from './follow-action.js';

export const renameTag = (run: Run) =>
  withExamples(
    new Command('rename')
      .description(
        'Rename a tag of all contacts that have it. If there are contacts with the new name, both become one.',
      )
      .argument('<tag>')
      .argument('<name>', 'new name')
      .option('--dry-run', 'count the contacts without changing them')
      .action(
        run(async (context, tag, name, { dryRun = false }) => {
          if (tag === name) throw new UsageError('The tag has this name already.');
          return follow(
            context,
            await context.roster.tags.rename(tag, { name, dryRun }, { signal: context.signal }),
          );
        }),
      ),
    'roster tags rename early early-access',
  );

export const deleteTag = (run: Run) =>
  withExamples(
    new Command('delete')
      .description('Remove a tag from all contacts that have it.')
      .argument('<tag>')
      .option('--dry-run', 'count the contacts without changing them')
      .action(
        run(async (context, tag, { dryRun = false }) => {
          if (!dryRun) await context.confirm(`Remove the tag ${printable(tag)} from all contacts?`);
          return follow(
            context,
            await context.roster.tags.delete(tag, { dryRun }, { signal: context.signal }),
          );
        }),
      ),
    'roster tags delete early-access --yes',
  );

async function follow(context: Context, started: ContactAction): Promise<ExitCode> {
  const { output } = context;
  const action = await followAction(context, started);
  await output.item(action);
  return report(action, output);
}
