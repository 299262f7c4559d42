import { Command, Option } from '@commander-js/extra-typings';
import type { CreateContactActionInput } from '@roster/client';

import type { Run } from '../context.js';
import { UsageError } from '../failure.js';
import { withExamples } from './examples.js';
import { followAction, report } from './follow-action.js';
import { typedValues } from './typed-values.js';
import {
  collect,
  collectConditions,
  collectPairs,
  given,
  propertyHelp,
  tagHelp,
  time,
} from './values.js';

type Filter = NonNullable<CreateContactActionInput['filter']>;
type Change = CreateContactActionInput['change'];

export const actOnContacts = (run: Run) =>
  withExamples(
    new Command('act')
      .description(
        'Change or delete all contacts that match a filter, of all or of the named ones. Ends when all are changed; exit code 7 if some were refused.',
      )
      .argument('[contacts...]', 'IDs: only these')
      .option('--tag <condition>', tagHelp, collect)
      .addOption(
        new Option('--status <status>', 'only with this subscription status').choices([
          'subscribed',
          'unsubscribed',
        ] as const),
      )
      .option('--property <name=condition>', propertyHelp, collectConditions)
      .option('--search <text>', 'only those whose address or name contains it')
      .option('--created-after <time>', 'only those created after a time, such as 2h ago: 2h', time)
      .option('--created-before <time>', 'only those created before a time', time)
      .option('--updated-after <time>', 'only those changed after a time, such as 2h ago: 2h', time)
      .option('--updated-before <time>', 'only those last changed before a time', time)
      .option('--all', 'all contacts, without a filter')
      .option('--add-tag <tag>', 'tag to add; can be repeated', collect)
      .option('--remove-tag <tag>', 'tag to remove; can be repeated', collect)
      .option('--set-property <name=value>', 'property to set; can be repeated', collectPairs)
      .option('--remove-property <name>', 'property to remove; can be repeated', collect)
      .option('--unsubscribe', 'unsubscribe the contacts')
      .option('--delete', 'delete the contacts')
      .option('--dry-run', 'count the contacts without changing them')
      .option('--no-wait', 'do not wait until all are changed')
      .action(
        run(async (context, contactIds, options) => {
          const { roster, output, signal } = context;
          const change = changeOf({
            ...options,
            setProperty: await typedValues(roster, options.setProperty, signal),
          });
          const { tag, status, property, search: q } = options;
          const { createdAfter, createdBefore, updatedAfter, updatedBefore } = options;
          const times = { createdAfter, createdBefore, updatedAfter, updatedBefore };
          const filter: Filter = given({ tag, status, property, q, ...times });
          const isNarrowed = Object.keys(filter).length + contactIds.length > 0;
          if (isNarrowed === (options.all ?? false))
            throw new UsageError('Name contacts, or a filter, or --all.');
          const selection = { filter, ...(contactIds.length > 0 && { contactIds }) };
          const input = { ...selection, change, ...given({ dryRun: options.dryRun }) };
          if (change.delete && !options.dryRun) await context.confirm('Delete these contacts?');
          const started = await roster.contactActions.create(input, { signal });
          const action = options.wait ? await followAction(context, started) : started;
          await output.item(action);
          return options.wait ? report(action, output) : undefined;
        }),
      ),
    'roster contacts act --tag any:vip,customer --add-tag newsletter --dry-run',
    'roster contacts act --property plan=free --status unsubscribed --delete --yes',
  );

interface ChangeOptions {
  addTag?: string[] | undefined;
  removeTag?: string[] | undefined;
  setProperty?: Record<string, string | number | boolean> | undefined;
  removeProperty?: string[] | undefined;
  unsubscribe?: true | undefined;
  delete?: true | undefined;
}

function changeOf(options: ChangeOptions): Change {
  const { addTag: addTags, removeTag: removeTags, setProperty, removeProperty = [] } = options;
  const removed = Object.fromEntries(removeProperty.map((name) => [name, null]));
  const properties = { ...setProperty, ...removed };
  const change: Change = given({
    addTags,
    removeTags,
    status: options.unsubscribe && ('unsubscribed' as const),
    properties: Object.keys(properties).length > 0 ? properties : undefined,
    delete: options.delete,
  });
  if (Object.keys(change).length === 0)
    throw new UsageError('Nothing to change: see `roster contacts act --help`.');
  return change;
}
