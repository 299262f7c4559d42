import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { Command, Option } from '@commander-js/extra-typings';
import { RosterError, type Import } from '@roster/client';

import type { Run } from '../context.js';
import { CommandFailure, exitCodes, UsageError, type ExitCode } from '../failure.js';
import { printable, type Output } from '../output.js';
import { withExamples } from './examples.js';
import { megabytes } from './export-contacts.js';
import { bar } from './progress-bar.js';
import { collectPairs, given } from './values.js';

export const importContacts = (run: Run) =>
  withExamples(
    new Command('import')
      .description(
        'Create and update contacts from a file of CSV or NDJSON, or of another service. Ends when all rows are handled; exit code 7 if some were refused.',
      )
      .argument(
        '[files...]',
        'file to import, - for standard input; several only with --from, also with a tag: vip=file',
      )
      .addOption(
        new Option(
          '--from <service>',
          'read what a service exports; Resend without a file: its API, with RESEND_API_KEY',
        )
          .choices(['mailchimp', 'resend', 'listmonk'] as const)
          .conflicts(['format', 'mode', 'map', 'delimiter', 'events', 'dryRun']),
      )
      .option('--tag <tag>', 'with --from: a tag for all contacts')
      .option('--segment <id>', 'with --from resend: only this segment')
      .addOption(
        new Option('--format <format>', 'format; by default that of the name of the file').choices([
          'csv',
          'ndjson',
        ] as const),
      )
      .addOption(
        new Option('--mode <mode>', 'whether existing contacts are updated').choices([
          'upsert',
          'skip',
        ] as const),
      )
      .option('--map <column=field>', 'field of a column of CSV; can be repeated', collectPairs)
      .addOption(
        new Option('--delimiter <character>', 'what separates columns').choices([
          ',',
          ';',
          '\t',
          '|',
        ] as const),
      )
      .addOption(
        new Option('--events <events>', 'an event for each contact, or one for the import').choices(
          ['each', 'summary'] as const,
        ),
      )
      .option('--dry-run', 'check all rows without changing contacts')
      .action(
        run(async (context, files, { format, from, tag, segment, ...options }) => {
          if (from !== undefined)
            return (await import('./import-from.js')).importFrom(context, files, {
              from,
              tag,
              segment,
            });
          if (tag !== undefined || segment !== undefined)
            throw new UsageError('--tag and --segment belong to --from.');
          const [file, ...others] = files;
          if (file === undefined || others.length > 0)
            throw new UsageError('Name one file, or - for standard input.');
          const { roster, output, signal } = context;
          const fileName = fileNameOf(file);
          const input = given({ ...options, format: format ?? formatOf(file), fileName });
          const opened = await open(file);
          const upload = roster.imports.create(counted(opened, output), input, { signal });
          let state: Import | undefined;
          try {
            for await (state of upload) output.status(progressOf(state));
          } catch (error) {
            output.status(undefined);
            if (signal.aborted) output.note(interruptedWith(state, opened.isRead));
            else if (
              error instanceof RosterError &&
              (error.is('unreachable') || error.is('timeout'))
            )
              output.note(interruptedWith(state, true));
            throw error;
          }
          output.status(undefined);
          await output.item(state!);
          return report(state!, output);
        }),
      ),
    'roster contacts import contacts.csv',
    'roster contacts import people.csv --map E-mail=email --map City=properties.city --dry-run',
    'roster contacts import --from mailchimp subscribed_*.csv unsubscribed_*.csv',
  );

const formatOf = (file: string): 'csv' | 'ndjson' =>
  /\.(?:ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv';

/** Undefined for standard input, and for a name that the server would refuse. */
function fileNameOf(file: string): string | undefined {
  const name = basename(file);
  const isShown = file !== '-' && name !== '' && name.length <= 255 && name.isWellFormed();
  return isShown ? name : undefined;
}

interface File {
  stream: AsyncIterable<Uint8Array>;
  bytes: number | undefined;
  /** Whether all of it was given to the connection: from then on, the server may have it. */
  isRead: boolean;
}

/** @throws CommandFailure if it cannot be read */
async function open(file: string): Promise<File> {
  if (file === '-') return { stream: process.stdin, bytes: undefined, isRead: false };
  try {
    const { size } = await stat(file);
    const stream = createReadStream(file);
    await once(stream, 'ready');
    return { stream, bytes: size, isRead: false };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${file} cannot be read (${code}).`);
  }
}

async function* counted(file: File, output: Output) {
  const { stream, bytes } = file;
  let sent = 0;
  for await (const chunk of stream) {
    yield chunk;
    sent += chunk.length;
    output.status(
      `Sending: ${megabytes(sent)}${bytes === undefined ? '' : ` of ${megabytes(bytes)}`}`,
    );
  }
  file.isRead = true;
}

const progressOf = ({ done, total, failed }: Import): string =>
  `Importing: ${bar(done, total)} ${done} of ${total} rows${failed > 0 ? `, ${failed} refused` : ''}`;

/** What an interrupted import has become. */
function interruptedWith(state: Import | undefined, isRead: boolean): string {
  if (state !== undefined)
    return `${state.id} was received whole and continues: ${state.done} of ${state.total} rows were handled. Go on with \`roster imports get ${state.id}\`, or end it with \`roster imports cancel ${state.id}\`.`;
  return isRead
    ? 'Whether the file was received whole, and is imported, is not known: `roster imports list` shows it.'
    : 'The file was not received whole: no contact was changed. Start the import again.';
}

/** The exit code of an import that has ended. */
export function report(state: Import, output: Output): ExitCode {
  const { id, status, failed, reason } = state;
  if (status !== 'completed')
    throw new CommandFailure(
      `${id} is ${status}${reason === null ? '' : `: ${printable(reason)}`}`,
    );
  if (failed === 0) return exitCodes.ok;
  output.note(
    `${failed === 1 ? '1 row was' : `${failed} rows were`} refused: \`roster imports errors ${id} > errors.csv\` writes them with the reasons.`,
  );
  return exitCodes.rowsRefused;
}
