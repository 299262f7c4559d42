import { Command, Option } from '@commander-js/extra-typings';
import type { Contact } from '@roster/client';

import type { Context, Run } from '../context.js';
import { UsageError } from '../failure.js';
import { printable, type Column } from '../output.js';
import { actOnContacts } from './act-on-contacts.js';
import { exportContacts } from './export-contacts.js';
import { withExamples } from './examples.js';
import { importContacts } from './import-contacts.js';
import {
  collect,
  collectConditions,
  collectPairs,
  first,
  given,
  order,
  pageLimit,
  propertyHelp,
  tagHelp,
  time,
  wholeNumber,
} from './values.js';
import { typedValues } from './typed-values.js';

export const contacts = (run: Run) =>
  new Command('contacts')
    .description(
      'Contacts of the workspace. A contact is named by its ID, its email address, or `externalId:` and its ID in another system.',
    )
    .addCommand(list(run))
    .addCommand(get(run))
    .addCommand(create(run))
    .addCommand(update(run))
    .addCommand(tag(run))
    .addCommand(unsubscribe(run))
    .addCommand(resubscribe(run))
    .addCommand(remove(run))
    .addCommand(actOnContacts(run))
    .addCommand(importContacts(run))
    .addCommand(exportContacts(run));

const columns: readonly Column<Contact>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'email', of: ({ email }) => email },
  { name: 'name', of: ({ name }) => name },
  { name: 'status', of: ({ status }) => status },
  { name: 'tags', of: ({ tags }) => tags },
  { name: 'created', of: ({ createdAt }) => createdAt },
];

const status = () =>
  new Option('--status <status>', 'subscription status').choices([
    'subscribed',
    'unsubscribed',
  ] as const);

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List contacts: all of them, page by page, in the order of their creation.')
      .option('--tag <condition>', tagHelp, collect)
      .addOption(status())
      .option('--property <name=condition>', propertyHelp, collectConditions)
      .option('--search <text>', 'only those whose address or name contains it')
      .option('--email <address>', 'only the one with this address')
      .option('--external-id <id>', 'only the one with this ID in another system')
      .option('--created-after <time>', 'only those created after a time, such as 2h ago: 2h', time)
      .option('--created-before <time>', 'only those created before a time', time)
      .option('--updated-after <time>', 'only those changed after a time, such as 2h ago: 2h', time)
      .option('--updated-before <time>', 'only those last changed before a time', time)
      .option(
        '--sort <order>',
        'createdAt, email, name, updatedAt, or property: and the name of a property; with a minus in front, the reverse',
        order,
      )
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit, search, ...filter }) => {
          const query = given({ ...filter, q: search, limit: pageLimit(limit) });
          await output.list(
            first(roster.contacts.list(query, { signal }), limit),
            columns,
            'No contact matches.',
          );
        }),
      ),
    'roster contacts list --tag vip --limit 10',
    'roster contacts list --tag any:vip,customer --tag not:churned --property city=exists',
    'roster contacts list --created-after 7d --json | head -n 1',
  );

const get = (run: Run) =>
  withExamples(
    new Command('get')
      .description('Show a contact.')
      .argument('<contact>', 'ID, email address, or externalId: and the ID in another system')
      .action(run(async (context, contact) => context.output.item(await find(context, contact)))),
    'roster contacts get ada@example.com',
  );

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Create a contact.')
      .argument('<email>')
      .option('--name <name>', 'name')
      .option('--tag <tag>', 'tag; can be repeated', collect)
      .option('--property <name=value>', 'property; can be repeated', collectPairs)
      .option('--external-id <id>', 'ID in another system')
      .addOption(status())
      .action(
        run(async ({ roster, output, signal }, email, { tag, property, ...fields }) => {
          const values = await typedValues(roster, property, signal);
          const input = given({ email, ...fields, tags: tag, properties: values });
          await output.item(await roster.contacts.create(input, { signal }));
        }),
      ),
    'roster contacts create ada@example.com --name "Ada Lovelace" --tag vip --property city=London',
  );

const update = (run: Run) =>
  withExamples(
    new Command('update')
      .description('Update fields of a contact. Other fields and properties are kept.')
      .argument('<contact>', 'ID, email address, or externalId: and the ID in another system')
      .option('--email <address>', 'new email address')
      .option('--name <name>', 'new name')
      .option('--external-id <id>', 'new ID in another system; empty to remove it')
      .option('--property <name=value>', 'property to set; can be repeated', collectPairs)
      .option('--remove-property <name>', 'property to remove; can be repeated', collect)
      .action(
        run(async (context, contact, { property, removeProperty = [], externalId, ...fields }) => {
          const removed = Object.fromEntries(removeProperty.map((name) => [name, null]));
          const { roster, output, signal } = context;
          const properties = { ...(await typedValues(roster, property, signal)), ...removed };
          const isEmpty = Object.keys(properties).length === 0;
          const input = given({
            ...fields,
            externalId: externalId === '' ? null : externalId,
            ...(isEmpty ? {} : { properties }),
          });
          if (Object.keys(input).length === 0)
            throw new UsageError('Nothing to update: see `roster contacts update --help`.');
          const id = named(contact);
          await output.item(await roster.contacts.update(id, input, { signal }));
        }),
      ),
    'roster contacts update ada@example.com --property city=Paris',
    'roster contacts update externalId:crm-1234 --name "Ada Lovelace"',
  );

const tag = (run: Run) =>
  withExamples(
    new Command('tag')
      .description('Add and remove tags of a contact. Its other tags are kept.')
      .argument('<contact>', 'ID, email address, or externalId: and the ID in another system')
      .argument('[tags...]', 'tags to add')
      .option('--remove <tag>', 'tag to remove; can be repeated', collect)
      .action(
        run(async (context, contact, added, { remove = [] }) => {
          if (added.length + remove.length === 0)
            throw new UsageError('Name a tag to add, or one to remove with --remove.');
          const { roster, output, signal } = context;
          const id = named(contact);
          const changes = { addTags: added, removeTags: remove };
          await output.item(await roster.contacts.update(id, changes, { signal }));
        }),
      ),
    'roster contacts tag ada@example.com early --remove vip',
  );

const unsubscribe = (run: Run) =>
  withExamples(
    new Command('unsubscribe')
      .description('Unsubscribe a contact.')
      .argument('<contact>', 'ID, email address, or externalId: and the ID in another system')
      .action(
        run(async (context, contact) => {
          const { roster, output, signal } = context;
          await output.item(await roster.contacts.unsubscribe(named(contact), { signal }));
        }),
      ),
    'roster contacts unsubscribe ada@example.com',
  );

const resubscribe = (run: Run) =>
  withExamples(
    new Command('resubscribe')
      .description('Resubscribe a contact.')
      .argument('<contact>', 'ID, email address, or externalId: and the ID in another system')
      .action(
        run(async (context, contact) => {
          const { roster, output, signal } = context;
          await output.item(await roster.contacts.resubscribe(named(contact), { signal }));
        }),
      ),
    'roster contacts resubscribe ada@example.com',
  );

const remove = (run: Run) =>
  withExamples(
    new Command('delete')
      .description('Delete a contact.')
      .argument('<contact>', 'ID, email address, or externalId: and the ID in another system')
      .action(
        run(async (context, contact) => {
          const { roster, output, signal } = context;
          const { id, email } = await find(context, contact);
          await context.confirm(`Delete the contact ${printable(email)}?`);
          const answer = await roster.contacts.delete(id, { signal });
          await output.done(`Deleted ${id}.`, answer);
        }),
      ),
    'roster contacts delete ada@example.com --yes',
  );

const find = ({ roster, signal }: Context, contact: string): Promise<Contact> =>
  roster.contacts.get(named(contact), {}, { signal });

/** As paths name a contact: an address needs no prefix here. */
const named = (contact: string): string =>
  contact.includes('@') && !/^(?:email|externalId):/.test(contact) ? `email:${contact}` : contact;
