import type { Command } from '@commander-js/extra-typings';

/** Options of every command. */
export const describeGlobalOptions = (program: Command) =>
  program
    .option('--profile <name>', 'profile to use')
    .option('--url <url>', 'address of Roster (also ROSTER_URL)')
    .option('--api-key-file <file>', 'file with the API key (also ROSTER_API_KEY, the key itself)')
    .option('--json', 'print JSON lines instead of tables')
    .option('-y, --yes', 'do not ask before a deletion')
    .option('--no-color', 'print without colours (also NO_COLOR)');

export type GlobalOptions = ReturnType<ReturnType<typeof describeGlobalOptions>['opts']>;

/** Global options that are followed by a value. */
export const optionsWithValue = ['--profile', '--url', '--api-key-file'];
