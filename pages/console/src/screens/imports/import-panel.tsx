import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { gatewayUrl } from '../../boot.js';
import { newKey, request, write } from '../../data/graphql.js';
import { fallbackMs, useActivity, type Activity } from '../../data/live.js';
import { problemOf } from '../../data/problem.js';
import { downloadBlob } from '../../data/save-file.js';
import { useSubmit } from '../../data/submit.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { Details } from '../../parts/details.js';
import { Notice } from '../../parts/notice.js';
import { Progress } from '../../parts/progress.js';
import { Panel } from '../../parts/split.js';
import { FullTime } from '../../parts/time.js';
import { session } from '../../session/session.js';
import { heldFile, holdFile } from './held-file.js';
import {
  CancelImport,
  Import as ImportDocument,
  type ImportRowFragment,
} from './imports.graphql.js';
import styles from './import-panel.module.css';
import { rowsOf, type Delimiter } from './read-csv.js';
import { upload } from './upload.js';

type Row = ImportRowFragment;

export const isRunning = ({ status }: Pick<Row, 'status'>): boolean =>
  status === 'UPLOADING' || status === 'QUEUED' || status === 'RUNNING';

interface ImportPanelProps {
  id: string;
  onChanged: (row: Row) => void;
  /** After a dry run, the import itself. */
  onStarted: (id: string) => void;
  onClose: () => void;
}

/** A row with the counts that activity announced, unless what was read is newer. */
export const withCounts = <Of extends Row>(row: Of, counts: Activity['imports'][number]): Of =>
  isRunning(row) && counts.done >= row.done ? { ...row, ...counts } : row;

/** An import beside the list: how far it is, and what was refused. */
export function ImportPanel({ id, onChanged, onStarted, onClose }: ImportPanelProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['import', id],
    queryFn: async ({ signal }) => (await request(ImportDocument, { id }, signal)).import,
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? fallbackMs : false),
  });
  useActivity(({ imports, more }) => {
    const change = imports.find((one) => one.id === id);
    if (change)
      client.setQueryData<Row | null>(['import', id], (old) => old && withCounts(old, change));
    // Its end has fields that are not announced.
    if (more || (change && !isRunning(change))) void refetch();
  });
  useEffect(() => {
    if (data) onChanged(data);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [data]);
  return (
    <Panel title={titleOf(data)} label="Import" onClose={onClose}>
      {error && (
        <>
          <Notice kind="bad">{error.message}</Notice>
          <Button onClick={() => void refetch()}>Try again</Button>
        </>
      )}
      {data === null && (
        <Notice kind="warn">There is no such import. They are kept for 30 days.</Notice>
      )}
      {data && (
        <Content key={id} row={data} onChanged={() => void refetch()} onStarted={onStarted} />
      )}
    </Panel>
  );
}

const titleOf = (row: Row | null | undefined): string => {
  const kind = row?.dryRun ? 'Dry run' : 'Import';
  return row?.fileName ? `${kind} of ${row.fileName}` : kind;
};

const sentences: Record<Row['status'], string> = {
  UPLOADING: 'The file is being received.',
  QUEUED: 'It begins as soon as those before it have ended.',
  RUNNING: 'It goes on when this page is closed.',
  COMPLETED: 'All rows were handled.',
  CANCELLED: 'It was cancelled. Rows that were handled before are kept.',
  FAILED: 'It failed. No contact was changed.',
};

function Content({
  row,
  onChanged,
  onStarted,
}: {
  row: Row;
  onChanged: () => void;
  onStarted: (id: string) => void;
}) {
  const [submit, { isBusy, failure }] = useSubmit();
  const cancel = () =>
    submit(async () => {
      await write(CancelImport, { input: { id: row.id } });
      onChanged();
    });
  const would = row.dryRun ? 'Would be ' : '';
  const named = (word: string) =>
    would ? `${would}${word}` : `${word[0]!.toUpperCase()}${word.slice(1)}`;
  return (
    <>
      {isRunning(row) && (
        <Progress
          label="Rows"
          done={row.done}
          total={row.status === 'UPLOADING' ? undefined : row.total}
          unit="rows"
        />
      )}
      {row.status === 'FAILED' || row.status === 'CANCELLED' ? (
        <Notice kind={row.status === 'FAILED' ? 'bad' : 'warn'}>
          {row.reason ? `${row.reason} ` : ''}
          {sentences[row.status]}
        </Notice>
      ) : (
        <p className={styles.sentence}>
          {row.dryRun && row.status === 'COMPLETED'
            ? 'All rows were checked. No contact was changed.'
            : sentences[row.status]}
        </p>
      )}
      <dl className={styles.counts}>
        <Count name={named('created')} count={row.created} />
        <Count name={named('updated')} count={row.updated} />
        <Count name={named('skipped')} count={row.skipped} />
        <Count name={named('refused')} count={row.failed} isBad={row.failed > 0} />
        {!!row.notices && <Count name="With a notice" count={row.notices} />}
      </dl>
      {isRunning(row) && (
        <Button busy={isBusy} onClick={() => void cancel()}>
          Cancel the import
        </Button>
      )}
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
      {row.dryRun && row.status === 'COMPLETED' && <Follow row={row} onStarted={onStarted} />}
      {(row.failed > 0 || !!row.notices) && (
        <Refused key={isRunning(row) ? 'running' : 'ended'} row={row} />
      )}
      <Details
        of={{
          Begun: <FullTime at={row.createdAt} />,
          Ended: row.endedAt ? <FullTime at={row.endedAt} /> : undefined,
          'Contacts that exist': row.mode === 'UPSERT' ? 'are updated' : 'are left as they are',
          Events: row.events === 'EACH' ? 'one for each contact' : 'only one, for its end',
          ID: (
            <span className={styles.copied}>
              <code>{row.id}</code>
              <Copy text={row.id} what="ID" />
            </span>
          ),
        }}
      />
    </>
  );
}

const Count = ({ name, count, isBad }: { name: string; count: number; isBad?: boolean }) => (
  <div data-bad={isBad}>
    <dt>{name}</dt>
    <dd>{count.toLocaleString()}</dd>
  </div>
);

/** The file of a dry run is still here: it need not be chosen again. */
function Follow({ row, onStarted }: { row: Row; onStarted: (id: string) => void }) {
  const [submit, { isBusy, failure }] = useSubmit();
  const [key] = useState(newKey);
  const held = heldFile(row.id);
  if (!held) return null;
  return (
    <>
      <Button
        kind="primary"
        busy={isBusy}
        onClick={() =>
          void submit(async () => {
            const signal = new AbortController().signal;
            const settings = { ...held.settings, dryRun: false };
            const options = { idempotencyKey: key, signal, onProgress: () => undefined };
            const { id } = await upload(held.file, settings, options);
            holdFile(id, held.file, settings);
            onStarted(id);
          })
        }
      >
        Import these rows now
      </Button>
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
    </>
  );
}

const rowsShown = 20;
/** Enough for the rows that are shown; all are in the download. */
const shownBytes = 64 * 1024;

/** The rows that were refused, and why. */
function Refused({ row }: { row: Row }) {
  const { data } = useQuery({
    queryKey: ['import-errors', row.id, isRunning(row)],
    queryFn: ({ signal }) => firstErrors(row.id, signal),
  });
  const [submit, { isBusy, failure }] = useSubmit();
  const save = () =>
    submit(async () => {
      const response = await requestErrors(row.id);
      downloadBlob(await response.blob(), 'errors.csv');
    });
  return (
    <section className={styles.refused} aria-label="Refused rows">
      <header>
        <h3>Refused rows</h3>
        <Button icon={<Download size={16} aria-hidden />} busy={isBusy} onClick={() => void save()}>
          Download
        </Button>
      </header>
      <ul>
        {data?.map(({ number, text, reasons }) => (
          <li key={number}>
            <span>
              <span className={styles.number}>Row {number}</span> <bdi>{text}</bdi>
            </span>
            {reasons.map((reason) => (
              <span key={reason} className={styles.reason}>
                {reason}
              </span>
            ))}
          </li>
        ))}
      </ul>
      <p className={styles.sentence}>
        {row.failed > rowsShown && `The first ${rowsShown} of ${row.failed.toLocaleString()}. `}
        Correct the rows in the file and import it with the same settings.
      </p>
      {failure !== undefined && <Notice kind="bad">{failure}</Notice>}
    </section>
  );
}

async function requestErrors(id: string, signal?: AbortSignal): Promise<Response> {
  const response = await session.fetch(`${gatewayUrl}/v1/imports/${id}/errors`, {
    headers: {},
    ...(signal && { signal }),
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

interface RefusedRow {
  number: string;
  /** Its first cell that is not empty: mostly the address. */
  text: string;
  reasons: string[];
}

const errorColumns = 5;

async function firstErrors(id: string, signal: AbortSignal): Promise<RefusedRow[]> {
  const { text, isWhole } = await startOf(await requestErrors(id, signal));
  // The file has the delimiter of the one that was imported: its last columns have known names.
  const delimiter = (/error\.row(.)error\.pointer/.exec(text)?.[1] ?? ',') as Delimiter;
  const [header = [], ...rows] = rowsOf(text, 0, delimiter, rowsShown + 1, isWhole);
  const first = header.length - errorColumns;
  return rows.map((cells) => {
    const [number = '', pointers = '', , messages = '', whole = ''] = cells.slice(first);
    const fields = pointers.split('\n');
    return {
      number,
      text: cells.slice(0, first).find((cell) => cell !== '') ?? whole,
      reasons: messages
        .split('\n')
        .map((message, at) => `${(fields[at] ?? '').slice(1)} ${message}`.trim()),
    };
  });
}

async function startOf(response: Response): Promise<{ text: string; isWhole: boolean }> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < shownBytes) {
    const { value } = await reader.read();
    if (!value) return { text: text + decoder.decode(), isWhole: true };
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, isWhole: false };
}
