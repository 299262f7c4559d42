import { text } from 'node:stream/consumers';

import { Command } from '@commander-js/extra-typings';

import { clientOf, type Context, type Run } from '../context.js';
import { Interrupted, UsageError } from '../failure.js';
import { printable } from '../output.js';
import { changeProfiles, cleanKey, cleanUrl, localName, readKey } from '../profiles.js';
import { withExamples } from './examples.js';

export const login = (run: Run) =>
  withExamples(
    new Command('login')
      .description(
        'Check an API key, and store it with the URL as a profile: --profile names it, by default after the host. Asks on a terminal; otherwise the key is read from standard input.',
      )
      .action(
        run(async (context) => {
          const { output, options, signal } = context;
          const url = await urlFor(context);
          const name = options.profile ?? new URL(url).host;
          if (name === localName)
            throw new UsageError(
              `The profile "${localName}" is that of \`npm start\`: choose another name.`,
            );
          const apiKey = await keyFor(context);
          const { workspace, user } = await clientOf({ url, apiKey }).key.get({ signal });
          changeProfiles(({ profiles }) => ({
            current: name,
            profiles: { ...profiles, [name]: { url, apiKey } },
          }));
          await output.done(
            `Stored as the profile "${name}": ${printable(workspace.name)}, as ${printable(user.name)}.`,
            { profile: name, url, workspace, user },
          );
        }),
      ),
    'roster login --url https://roster.example.com < key.txt',
  );

async function urlFor({ options, canAsk, signal }: Context): Promise<string> {
  const given = options.url ?? process.env['ROSTER_URL'];
  if (given) return cleanUrl(given, options.url ? '--url' : 'ROSTER_URL');
  if (!canAsk) throw new UsageError('Pass --url: there is no terminal to ask on.');
  const { text: ask } = await import('@clack/prompts');
  const answer = await ask({
    message: 'Address of Roster',
    placeholder: 'https://roster.example.com',
    validate: (value) => problemOf(() => cleanUrl(value ?? '', 'It')),
    output: process.stderr,
    signal,
  });
  if (typeof answer !== 'string') throw new Interrupted();
  return cleanUrl(answer, 'It');
}

async function keyFor({ options, canAsk, signal }: Context): Promise<string> {
  if (options.apiKeyFile !== undefined) return readKey(options.apiKeyFile);
  if (!canAsk) return cleanKey(await text(process.stdin), 'Standard input');
  const { password } = await import('@clack/prompts');
  const answer = await password({
    message: 'API key',
    validate: (value) => problemOf(() => cleanKey(value ?? '', 'It')),
    output: process.stderr,
    signal,
  });
  if (typeof answer !== 'string') throw new Interrupted();
  return cleanKey(answer, 'It');
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
