import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Command, Option } from '@commander-js/extra-typings';

import type { Run } from '../context.js';
import { CommandFailure } from '../failure.js';
import { writeFailure, type Output } from '../output.js';
import { withExamples } from './examples.js';
import { collect, collectConditions, given, propertyHelp, tagHelp, time } from './values.js';

export const exportContacts = (run: Run) =>
  withExamples(
    new Command('export')
      .description('Write all contacts, or those that match, as a file that can be imported again.')
      .addOption(
        new Option('--format <format>', 'format of the file')
          .choices(['csv', 'ndjson'] as const)
          .default('csv' as const),
      )
      .option('-o, --output <file>', 'file to write; standard output by default')
      .addOption(
        new Option(
          '--link',
          'print an address instead, which downloads the file once within five minutes',
        ).conflicts('output'),
      )
      .option('--tag <condition>', tagHelp, collect)
      .addOption(
        new Option('--status <status>', 'only with this status').choices([
          'subscribed',
          'unsubscribed',
        ] as const),
      )
      .option('--property <name=condition>', propertyHelp, collectConditions)
      .option('--search <text>', 'only those whose address or name contains it')
      .option('--created-after <time>', 'only those created after a time', time)
      .option('--created-before <time>', 'only those created before a time', time)
      .option('--updated-after <time>', 'only those changed after a time', time)
      .option('--updated-before <time>', 'only those last changed before a time', time)
      .action(
        run(
          async (
            { roster, profile, output, signal },
            { output: file, link, search, ...filter },
          ) => {
            const query = given({ ...filter, q: search });
            if (link === true) {
              const { path, expiresAt } = await roster.exportLinks.create(query, { signal });
              const url = `${profile.url}/${path}`;
              return output.done(url, { url, expiresAt });
            }
            const bytes = counted(roster.contacts.export(query, { signal }), output);
            try {
              if (file === undefined) await writeAll(bytes, output);
              else await writeFile(file, bytes, signal);
            } finally {
              output.status(undefined);
            }
          },
        ),
      ),
    'roster contacts export --output contacts.csv',
    'roster contacts export --format ndjson --tag vip',
    'roster contacts export --link',
  );

/** Shows how much has arrived. */
async function* counted(bytes: AsyncIterable<Uint8Array>, output: Output) {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    output.status(`Exporting: ${megabytes(total)}`);
    yield chunk;
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function writeAll(bytes: AsyncIterable<Uint8Array>, output: Output): Promise<void> {
  for await (const chunk of bytes) {
    await output.write(chunk);
    if (output.isClosed) return;
  }
}

/**
 * Writes a file, which exists only when it is complete: it is written beside its place.
 *
 * @throws CommandFailure if it cannot be written; the error of what is read
 */
export async function writeFile(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  // A device or a pipe cannot be replaced.
  const isReplaced = await stat(file).then(
    (stats) => stats.isFile() || stats.isDirectory(),
    () => true,
  );
  const written = isReplaced ? `${file}.${process.pid}.part` : file;
  const source = Readable.from(bytes, { objectMode: false });
  try {
    await pipeline(source, createWriteStream(written, { mode: 0o600 }), { signal });
    if (isReplaced) await rename(written, file);
  } catch (error) {
    if (isReplaced) await rm(written, { force: true });
    signal.throwIfAborted();
    const { syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || !fileCalls.has(syscall)) throw error;
    const kept = isReplaced ? ' Nothing is left of it.' : '';
    throw new CommandFailure(`${writeFailure(file, error as Error)}${kept}`);
  }
}

const fileCalls = new Set(['open', 'write', 'writev', 'close', 'rename']);
