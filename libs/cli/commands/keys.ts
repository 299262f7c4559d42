import { Command } from '@commander-js/extra-typings';
import type { ApiKey } from '@roster/client';

import type { Run } from '../context.js';
import type { Column } from '../output.js';
import { withExamples } from './examples.js';
import { first, given, pageLimit, scopeNames, wholeNumber } from './values.js';

export const keys = (run: Run) =>
  new Command('keys')
    .description('API keys of the workspace.')
    .addCommand(list(run))
    .addCommand(create(run))
    .addCommand(rotate(run))
    .addCommand(revoke(run));

const columns: readonly Column<ApiKey>[] = [
  { name: 'id', of: ({ id }) => id, whole: true },
  { name: 'name', of: ({ name }) => name },
  { name: 'prefix', of: ({ prefix }) => prefix },
  { name: 'scopes', of: ({ scopes }) => scopes },
  { name: 'last used', of: ({ lastUsedAt }) => lastUsedAt },
  { name: 'expires', of: ({ expiresAt }) => expiresAt },
];

const list = (run: Run) =>
  withExamples(
    new Command('list')
      .description('List API keys.')
      .option('--limit <number>', 'at most this many', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, { limit }) => {
          const rows = roster.apiKeys.list({ limit: pageLimit(limit) }, { signal });
          await output.list(first(rows, limit), columns);
        }),
      ),
    'roster keys list',
  );

const create = (run: Run) =>
  withExamples(
    new Command('create')
      .description('Create an API key. Its secret is printed once.')
      .argument('<name>')
      .requiredOption(
        '--scopes <scopes>',
        'api_user, user or both, separated by a comma',
        scopeNames,
      )
      .option('--expires-at <time>', 'end of its validity')
      .option('--user <user>', 'ID of its user; that of the present key by default')
      .action(
        run(async ({ roster, output, signal }, name, { user, ...fields }) => {
          const input = given({ name, userId: user, ...fields });
          await output.item(await roster.apiKeys.create(input, { signal }));
        }),
      ),
    'roster keys create reports --scopes api_user',
  );

const rotate = (run: Run) =>
  withExamples(
    new Command('rotate')
      .description('Replace the secret of an API key. The new one is printed once.')
      .argument('<key>', 'ID')
      .option('--overlap-seconds <seconds>', 'how long the old one remains valid', wholeNumber)
      .action(
        run(async ({ roster, output, signal }, id, options) =>
          output.item(await roster.apiKeys.rotate(id, given(options), { signal })),
        ),
      ),
    'roster keys rotate key_… --overlap-seconds 3600',
  );

const revoke = (run: Run) =>
  withExamples(
    new Command('revoke')
      .description('Revoke an API key: it ends within a second.')
      .argument('<key>', 'ID')
      .action(
        run(async ({ roster, output, signal, confirm }, id) => {
          await confirm(`Revoke the API key ${id}?`);
          await output.done(`Revoked ${id}.`, await roster.apiKeys.delete(id, { signal }));
        }),
      ),
    'roster keys revoke key_… --yes',
  );
