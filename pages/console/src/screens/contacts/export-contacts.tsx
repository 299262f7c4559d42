import { useEffect, useRef, useState, type FormEvent } from 'react';
import { gatewayUrl } from '../../boot.js';
import { request } from '../../data/graphql.js';
import { problemOf } from '../../data/problem.js';
import { canStream, openSink } from '../../data/save-file.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { session } from '../../session/session.js';
import { idsMax } from './contact.js';
import { ContactsByIds } from './contacts.graphql.js';
import styles from './export-contacts.module.css';
import type { Row } from './contact.js';

type Format = 'csv' | 'ndjson';

interface ExportProps {
  /** Parameters of REST that select the contacts. */
  filter: URLSearchParams;
  /** Instead of those, if some rows are selected. */
  rows: readonly Row[] | undefined;
  total: number | undefined;
  /** The properties that have a column, if the export is of rows. */
  properties: readonly string[];
  onClose: () => void;
}

const types: Record<Format, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
/** More contacts are written to the disk as they arrive, where the browser can. */
const largeFrom = 50_000;
/** An export ends with the token that it is sent with. */
const tokenMs = 240_000;

/** Writes the contacts that are shown, or selected, to a file. */
export function ExportContacts(props: ExportProps) {
  const { rows, total, onClose } = props;
  const [status, setStatus] = useState<'asking' | 'running' | 'done'>('asking');
  const [bytes, setBytes] = useState(0);
  const [failure, setFailure] = useState<string>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const count = rows?.length ?? total;
  const isLarge = count === undefined || count > largeFrom;

  const run = async (format: Format) => {
    const control = new AbortController();
    abort.current = control;
    setFailure(undefined);
    setBytes(0);
    const sink = await openSink(`contacts.${format}`, types[format], isLarge).catch(
      () => undefined,
    );
    if (!sink) return;
    setStatus('running');
    try {
      for await (const part of rows
        ? partsOfRows(rows, props.properties, format, control.signal)
        : partsOfFilter(props.filter, format, control.signal)) {
        await sink.write(part);
        setBytes((old) => old + part.length);
      }
      await sink.close();
      setStatus('done');
    } catch (error) {
      await sink.abort().catch(() => undefined);
      if (control.signal.aborted) return;
      setStatus('asking');
      setFailure(
        error instanceof TypeError
          ? 'The connection was lost before the file was complete. Nothing was saved.'
          : (error as Error).message,
      );
    }
  };

  return (
    <Dialog title={`Export ${count?.toLocaleString() ?? 'all'} contacts`} onClose={onClose}>
      <form
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          if (status !== 'asking') return;
          void run(new FormData(event.currentTarget).get('format') as Format);
        }}
      >
        <Field
          label="Format"
          hint="An import takes both as they are. CSV has a column for each property."
        >
          <select name="format" defaultValue="csv" disabled={status !== 'asking'}>
            <option value="csv">CSV</option>
            <option value="ndjson">NDJSON: a JSON object per line</option>
          </select>
        </Field>
        {isLarge && (
          <p className={styles.note}>
            {canStream()
              ? 'The file is written as it arrives.'
              : 'This browser holds the file in memory until it is complete.'}{' '}
            It must arrive within five minutes. For more, run <code>roster contacts export</code>.
          </p>
        )}
        {status !== 'asking' && (
          <p role="status">
            {status === 'running' ? 'Receiving… ' : 'Saved: '}
            {sizeOf(bytes)}
          </p>
        )}
        {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>{status === 'done' ? 'Close' : 'Cancel'}</Button>
          {status !== 'done' && (
            <Button type="submit" kind="primary" busy={status === 'running'}>
              Export
            </Button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

/** @throws Problem; TypeError if the connection is lost before the end */
async function* partsOfFilter(filter: URLSearchParams, format: Format, signal: AbortSignal) {
  await session.token(tokenMs);
  const params = new URLSearchParams(filter);
  params.set('format', format);
  const response = await session.fetch(`${gatewayUrl}/v1/exports/contacts?${params}`, {
    headers: {},
    signal,
  });
  if (!response.ok) throw await problemOf(response);
  const reader = response.body!.getReader();
  for (;;) {
    const { value } = await reader.read();
    if (!value) return;
    yield value;
  }
}

const encoder = new TextEncoder();

/** The contacts as they are now, in the format of exports. */
async function* partsOfRows(
  rows: readonly Row[],
  properties: readonly string[],
  format: Format,
  signal: AbortSignal,
) {
  if (format === 'csv') yield encoder.encode(line([...columns, ...properties.map(columnOf)]));
  for (let start = 0; start < rows.length; start += idsMax) {
    const ids = rows.slice(start, start + idsMax).map(({ id }) => id);
    const { nodes } = await request(ContactsByIds, { ids }, signal);
    const lines = (nodes as (Row | null)[]).map((row) => {
      if (!row) return '';
      const contact = { ...row, status: row.status.toLowerCase() };
      if (format === 'ndjson') return `${JSON.stringify(contact)}\n`;
      return line([
        row.id,
        row.email,
        row.name,
        contact.status,
        row.tags.map((tag) => (/[";]|^\s|\s$/.test(tag) ? quoted(tag) : tag)).join(';'),
        row.createdAt,
        ...properties.map((name) => (row.properties[name] as string | undefined) ?? ''),
      ]);
    });
    yield encoder.encode(lines.join(''));
  }
}

const columns = ['id', 'email', 'name', 'status', 'tags', 'createdAt'];

const columnOf = (property: string): string =>
  columns.some((one) => one.toLowerCase() === property.toLowerCase())
    ? `properties.${property}`
    : property;

const line = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** Spreadsheets execute cells that begin like a formula: an apostrophe prevents it, as in the exports of the API. */
function cellOf(text: string): string {
  const cell = /^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",;|\t\r\n]/.test(cell) ? quoted(cell) : cell;
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function sizeOf(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1000).toLocaleString()} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
