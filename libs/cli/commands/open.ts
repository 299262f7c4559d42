import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { Argument, Command } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { withExamples } from './examples.js';

const pages = { console: '/console', docs: '/docs', graphql: '/graphql' } as const;
const launchers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };

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
          if (!canAsk) return;
          const launched = spawn(launchers[process.platform] ?? 'xdg-open', [url], {
            stdio: 'ignore',
            detached: true,
          });
          // Without a browser, the address is printed.
          await once(launched, 'spawn').catch(() => {});
          launched.unref();
        }),
      ),
    'roster open docs',
  );
