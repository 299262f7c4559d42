import { useEffect, useRef, useState, type FormEvent } from 'react';
import { gatewayUrl } from '../../boot.js';
import { request } from '../../data/graphql.js';
import { download, downloadBlob } from '../../data/save-file.js';
import { Button } from '../../parts/button.js';
import { Dialog, DialogButtons } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Notice } from '../../parts/notice.js';
import { idsMax } from './contact.js';
import { ContactsByIds, CreateExportLink, type ContactFilter } from './contacts.graphql.js';
import styles from './export-contacts.module.css';
import type { Row } from './contact.js';
import { textOf } from './property-value.js';

type Format = 'csv' | 'ndjson';

interface ExportProps {
  /** Undefined for all contacts. */
  filter: ContactFilter | undefined;
  /** Instead of those that match, if some rows are selected. */
  rows: readonly Row[] | undefined;
  total: number | undefined;
  /** The properties that have a column, if the export is of rows. */
  properties: readonly string[];
  onClose: () => void;
}

const types: Record<Format, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** Writes the contacts that are shown, or selected, to a file. */
export function ExportContacts({ filter, rows, total, properties, onClose }: ExportProps) {
  const [status, setStatus] = useState<'asking' | 'running' | 'done'>('asking');
  const [failure, setFailure] = useState<string>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const count = rows?.length ?? total;

  const run = async (format: Format) => {
    const control = new AbortController();
    abort.current = control;
    setFailure(undefined);
    setStatus('running');
    try {
      if (rows) {
        const parts = await partsOfRows(rows, properties, format, control.signal);
        downloadBlob(new Blob(parts, { type: types[format] }), `contacts.${format}`);
      } else {
        const input = { ...filter, format: format.toUpperCase() as Uppercase<Format> };
        const { createExportLink } = await request(CreateExportLink, { input }, control.signal);
        download(`${gatewayUrl}/${createExportLink.exportLink.path}`, `contacts.${format}`);
      }
      setStatus('done');
    } catch (error) {
      if (control.signal.aborted) return;
      setStatus('asking');
      setFailure((error as Error).message);
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
        {status === 'done' && (
          <p role="status" className={styles.note}>
            The file is among the downloads of the browser. If it could not be completed, export
            again.
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

/** The contacts as they are now, in the format of exports. */
async function partsOfRows(
  rows: readonly Row[],
  properties: readonly string[],
  format: Format,
  signal: AbortSignal,
): Promise<string[]> {
  const parts = format === 'csv' ? [line([...columns, ...properties.map(columnOf)])] : [];
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
        ...properties.map((name) => textOf(row.properties[name])),
      ]);
    });
    parts.push(...lines);
  }
  return parts;
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
