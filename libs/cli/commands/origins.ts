import { Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { withExamples } from './examples.js';

export const origins = (run: Run) =>
  new Command('origins')
    .description('Origins whose web pages may use the keys and tokens of the workspace.')
    .addCommand(list(run))
    .addCommand(set(run));

const columns = [{ name: 'origin', of: ({ origin }: { origin: string }) => origin }];
const rowsOf = ({ origins }: { origins: readonly string[] }) =>
  origins.map((origin) => ({ origin }));

const list = (run: Run) =>
  withExamples(
    new Command('list').description('List the origins.').action(
      run(async ({ roster, output, signal }) => {
        const rows = rowsOf(await roster.origins.get({ signal }));
        await output.list(rows, columns, 'No origin is listed.');
      }),
    ),
    'roster origins list',
  );

const set = (run: Run) =>
  withExamples(
    new Command('set')
      .description('Replace all origins by those given; without one, none remains.')
      .argument('[origins...]')
      .action(
        run(async ({ roster, output, signal, confirm }, origins) => {
          if (origins.length === 0) await confirm('Remove all origins?');
          const rows = rowsOf(await roster.origins.update({ origins }, { signal }));
          await output.list(rows, columns, 'No origin is listed.');
        }),
      ),
    'roster origins set https://app.example.com',
  );
