import type { Context } from '../context.js';
import { CommandFailure, exitCodes, type ExitCode, UsageError } from '../failure.js';
import { move } from '../moving/move.js';
import type { SourceName } from '../moving/sources.js';
import { printable } from '../output.js';
import { bar } from './progress-bar.js';

export interface ImportFrom {
  from: SourceName;
  tag?: string | undefined;
  segment?: string | undefined;
}

/** Moves the contacts of another service, with the states and tags of its own files. */
export async function importFrom(
  { roster, output, signal }: Context,
  files: readonly string[],
  { from, tag, segment }: ImportFrom,
): Promise<ExitCode> {
  const { RESEND_API_KEY: apiKey, RESEND_URL: baseUrl } = process.env;
  if (files.length === 0 && from !== 'resend')
    throw new UsageError(`Name the files that ${from} exported.`);
  if (files.length === 0 && !apiKey)
    throw new UsageError('Set RESEND_API_KEY to a key of Resend, or name a file of contacts.');
  let [total, moved, rejected] = [0, 0, 0];
  const showProgress = () =>
    output.status(`Moving: ${bar(moved + rejected, total)} ${moved} of ${total} contacts`);
  const resend = apiKey ? { apiKey, baseUrl, segment } : undefined;
  try {
    await move(
      roster,
      { source: from, files, tag, ...(resend && { resend }) },
      {
        read(count) {
          total = count;
          showProgress();
        },
        moved(count) {
          moved += count;
          showProgress();
        },
        reject({ place, reason }) {
          rejected += 1;
          output.note(printable(`${place}: ${reason}`));
        },
      },
      signal,
    );
  } catch (error) {
    output.status(undefined);
    if (total > 0) output.note(`${moved} contacts were moved. Run the command again to go on.`);
    throw error;
  }
  output.status(undefined);
  if (total === 0)
    throw new CommandFailure('No contact was found: are these the files of this service?');
  await output.done(`${moved} moved, ${rejected} rejected.`, { moved, rejected });
  return rejected > 0 ? exitCodes.rowsRefused : exitCodes.ok;
}
