import { Argument, Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { openInBrowser } from '../open-in-browser.js';
import { withExamples } from './examples.js';

const pages = { console: '/console', docs: '/docs', graphql: '/graphql' } as const;

export const open = (run: Run) =>
  withExamples(
    new Command('open')
      .description('Print the address of a page of Roster, and open it if a terminal is used.')
      .addArgument(
        new Argument('[page]', 'page')
          .choices(Object.keys(pages) as (keyof typeof pages)[])
          .default('docs' as const),
      )
      .action(
        run(async ({ profile, output, canAsk }, page) => {
          const url = `${profile.url}${pages[page]}`;
          await output.done(url, { url });
          if (canAsk) await openInBrowser(url);
        }),
      ),
    'roster open docs',
  );
