import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { useLocation, useParams } from 'wouter';
import { request } from '../../data/graphql.js';
import { useList } from '../../data/list.js';
import { fallbackMs, useActivity, useLiveEvents } from '../../data/live.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { classes } from '../../parts/classes.js';
import { Empty, Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { News } from '../../parts/news.js';
import { ImportPanel, isRunning, withCounts } from './import-panel.js';
import { Imports as ImportsDocument, type ImportRowFragment } from './imports.graphql.js';
import styles from './imports.module.css';
import { NewImport } from './new-import.js';

type Row = ImportRowFragment;

const readPage = async (first: number, after: string | null, signal: AbortSignal) => {
  const { imports } = await request(ImportsDocument, { first, after }, signal);
  return { nodes: imports!.nodes, ...imports!.pageInfo };
};

/** A workspace has at most four imports that have not ended. */
const newest = 10;

/** The imports of the workspace, and a file that becomes another one. */
export function Imports() {
  const { id } = useParams();
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const [file, setFile] = useState<File>();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const list = useList<Row>({
    queryKey: ['imports'],
    readPage: (after, signal) => readPage(50, after, signal),
  });
  const hasRunning = Array.from({ length: newest }, (_, at) => list.at(at)).some(
    (row) => row && isRunning(row),
  );
  useQuery({
    queryKey: ['imports-running'],
    queryFn: async ({ signal }) => {
      const { nodes } = await readPage(newest, null, signal);
      const now = new Map(nodes.map((node) => [node.id, node]));
      list.change((row) => now.get(row.id) ?? row);
      return nodes.length;
    },
    enabled: hasRunning,
    refetchInterval: fallbackMs,
  });
  const [begun, setBegun] = useState<readonly string[]>([]);
  useActivity(({ imports, more }) => {
    const now = new Map(imports.map((one) => [one.id, one]));
    if (now.size > 0)
      list.change((row) => {
        const counts = now.get(row.id);
        return counts ? withCounts(row, counts) : row;
      });
    const first = list.at(0);
    const isNew = (one: string) => !begun.includes(one) && (first === undefined || one > first.id);
    const added = [...now.keys()].filter(isNew);
    if (added.length > 0) setBegun([...begun, ...added].slice(-newest));
    if (more || imports.some((one) => !isRunning(one)))
      void client.invalidateQueries({ queryKey: ['imports-running'] });
  });
  const news = list.isLoading ? 0 : begun.filter((one) => !list.find(one)).length;
  useLiveEvents((event) => {
    if (!('import' in event)) return;
    void client.invalidateQueries({ queryKey: ['import', event.import.id] });
    void client.invalidateQueries({ queryKey: ['imports-running'] });
  });
  const choose = () => input.current?.click();
  const take = (files: FileList | null) => {
    const [first] = files ?? [];
    if (first) setFile(first);
  };
  const drop = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer.files);
    },
  };
  const isEmpty = !list.isLoading && !list.error && list.count === 0;
  return (
    <div {...drop}>
      <Split
        list={
          <Page
            title="Imports"
            summary="Contacts from files of CSV or NDJSON"
            actions={
              <Button
                kind="primary"
                icon={<FileUp size={16} aria-hidden />}
                data-key="n"
                onClick={choose}
              >
                Choose a file
              </Button>
            }
          >
            <input
              ref={input}
              type="file"
              hidden
              aria-label="File"
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
              onChange={({ target }) => {
                take(target.files);
                // The same file can be chosen again after it was changed.
                target.value = '';
              }}
            />
            <button
              type="button"
              className={classes(styles.drop, isOver && styles.over)}
              onClick={choose}
            >
              <FileUp size={20} aria-hidden />
              <span>{isOver ? 'Let go to import it' : 'Drop a file here, or choose one'}</span>
              <small>CSV or NDJSON in UTF-8, up to 1 GiB. Nothing is imported yet.</small>
            </button>
            {news > 0 && <News text={`${news} new`} onShow={list.reload} />}
            {isEmpty ? (
              <Empty title="No imports yet">
                <p>
                  The first row of a CSV names its columns: one of them has the email addresses.
                  Files of an export can be imported as they are.
                </p>
              </Empty>
            ) : (
              <Table
                label="Imports"
                columns={columns}
                list={list}
                openId={id}
                onOpen={(row) => navigate(`/imports/${row.id}`, { replace: id !== undefined })}
                nameOf={({ fileName, createdAt }) => fileName ?? `Import of ${createdAt}`}
              />
            )}
          </Page>
        }
        panel={
          id === undefined ? undefined : (
            <ImportPanel
              id={id}
              onChanged={(row) => list.replace(row.id, () => row)}
              onStarted={(started) => {
                list.reload();
                navigate(`/imports/${started}`);
              }}
              onClose={() => navigate('/imports')}
            />
          )
        }
      />
      {file && (
        <NewImport
          file={file}
          onCreated={(created) => {
            setFile(undefined);
            list.reload();
            navigate(`/imports/${created}`);
          }}
          onClose={() => setFile(undefined)}
        />
      )}
    </div>
  );
}

const number = (count: number): string => (count === 0 ? '–' : count.toLocaleString());

const columns: Column<Row>[] = [
  {
    key: 'import',
    label: 'Import',
    width: 'minmax(0, 2fr)',
    render: (row) => (
      <span className={styles.import}>
        {row.fileName ? (
          <bdi title={row.fileName}>{row.fileName}</bdi>
        ) : (
          <Time at={row.createdAt} />
        )}
        {row.dryRun && <Badge>Dry run</Badge>}
        <Status of={row} />
      </span>
    ),
  },
  {
    key: 'rows',
    label: 'Rows',
    width: '100px',
    align: 'end',
    from: 340,
    render: ({ total }) => number(total),
  },
  {
    key: 'created',
    label: 'Created',
    width: '100px',
    align: 'end',
    from: 560,
    render: ({ created }) => number(created),
  },
  {
    key: 'updated',
    label: 'Updated',
    width: '100px',
    align: 'end',
    from: 660,
    render: ({ updated }) => number(updated),
  },
  {
    key: 'failed',
    label: 'Refused',
    width: '100px',
    align: 'end',
    from: 440,
    render: ({ failed }) =>
      failed > 0 ? <Badge kind="warn">{failed.toLocaleString()}</Badge> : '–',
  },
  {
    key: 'time',
    label: 'Begun',
    width: '120px',
    align: 'end',
    from: 760,
    render: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** The normal case, that it was completed, says nothing. */
function Status({ of: row }: { of: Row }) {
  if (row.status === 'FAILED') return <Badge kind="bad">Failed</Badge>;
  if (row.status === 'CANCELLED') return <Badge kind="warn">Cancelled</Badge>;
  if (!isRunning(row)) return null;
  const share = row.total > 0 ? Math.floor((100 * row.done) / row.total) : 0;
  return <Badge kind="good">{row.status === 'RUNNING' ? `${share}%` : 'Waiting'}</Badge>;
}
