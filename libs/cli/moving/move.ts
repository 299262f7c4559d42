import type { Roster } from '@roster/client';
import { contactsOf, readEntries, type RejectedEntry, type SourceEntries } from './contacts-of.js';
import { fetchResend } from './fetch-resend.js';
import { moveContacts } from './move-contacts.js';
import type { SourceName } from './sources.js';

/** What `roster contacts import --from` moves. */
export interface Move {
  source: SourceName;
  /** Paths, each optionally with a tag: `vip=contacts.csv`. None reads the contacts of Resend from its API. */
  files: readonly string[];
  /** A tag for all contacts. */
  tag?: string | undefined;
  resend?: { apiKey: string; baseUrl?: string | undefined; segment?: string | undefined };
}

export interface MoveReport {
  /** The number of contacts is known: all have been read, none written. */
  read(count: number): void;
  /** A batch was written. */
  moved(count: number): void;
  reject(entry: RejectedEntry): void;
}

/**
 * Moves contacts of another service to a workspace. Nothing is written if a file cannot be read.
 *
 * @throws Error that names the file which cannot be read, or the response of Resend; RosterError of Roster
 */
export async function move(
  roster: Pick<Roster, 'contacts'>,
  { source, files, tag, resend }: Move,
  report: MoveReport,
  signal: AbortSignal,
): Promise<void> {
  const tags = tag === undefined ? [] : [tag];
  const read: SourceEntries[] =
    files.length === 0 && resend
      ? [{ name: 'Resend', tags, entries: await fetchResend({ ...resend, signal }) }]
      : await Promise.all(files.map((file) => readEntries(source, file, tags)));
  const rejected: RejectedEntry[] = [];
  const contacts = contactsOf(source, read, (entry) => rejected.push(entry));
  report.read(contacts.length + rejected.length);
  for (const entry of rejected) report.reject(entry);
  await moveContacts(roster, contacts, report, signal);
}
