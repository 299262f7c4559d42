import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, FileUp, ListChecks, Plus } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { gatewayUrl } from '../../boot.js';
import { pageOfContacts } from '../../data/first-requests.js';
import { request } from '../../data/graphql.js';
import { useList, type List } from '../../data/list.js';
import { useProperties } from '../../data/properties.js';
import { Button } from '../../parts/button.js';
import { Copy } from '../../parts/copy.js';
import { News } from '../../parts/news.js';
import { Empty, Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import { Table } from '../../parts/table.js';
import { toast } from '../../parts/toasts.js';
import { session } from '../../session/session.js';
import { AddContact } from './add-contact.js';
import { ColumnChooser, columnsOf, useColumnKeys } from './columns.js';
import { rowOf, type Contact, type Row } from './contact.js';
import { ContactPanel } from './contact-panel.js';
import styles from './contacts.module.css';
import {
  ContactCount,
  Contacts as ContactsDocument,
  type ContactCountQuery,
} from './contacts.graphql.js';
import { deleteContact } from './delete-contact.js';
import { FilterBar } from './filter-bar.js';
import { useLiveContacts } from './live-contacts.js';
import { SelectionBar } from './selection-bar.js';
import { filterOf, noView, useView } from './view.js';

// Opened rarely: the first screen is shown without them.
const ChangeAll = lazy(async () => ({ default: (await import('./change-all.js')).ChangeAll }));
const ExportContacts = lazy(async () => ({
  default: (await import('./export-contacts.js')).ExportContacts,
}));

const nothing: ReadonlySet<string> = new Set();

function rowsOf(list: List<Row>, selection: ReadonlySet<string>): readonly Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < list.count && rows.length < selection.size; at += 1) {
    const row = list.at(at)!;
    if (selection.has(row.id)) rows.push(row);
  }
  return rows;
}

/** The contacts of the workspace: a table, and the contact of the address beside it. */
export function Contacts() {
  const { id } = useParams();
  const [, navigate] = useLocation();
  const { view, change, search } = useView();
  const filter = filterOf(view);
  const key = JSON.stringify([filter, view.sort]);
  const list = useList<Row>({
    queryKey: ['contacts', key],
    readPage: async (after, signal) => {
      const { contacts } = await request(
        ContactsDocument,
        pageOfContacts(after, filter, view.sort),
        signal,
      );
      return { nodes: contacts!.nodes, ...contacts!.pageInfo };
    },
    keepsFormer: true,
  });
  const { data: count } = useQuery({
    queryKey: ['contact-count', JSON.stringify(filter)],
    queryFn: ({ signal }) => request(ContactCount, { filter: filter ?? null }, signal),
    placeholderData: (former) => former,
  });
  const { properties, isLoading: hasNoColumns } = useProperties();
  const columnKeys = useColumnKeys(useWorkspaceId(), properties);
  const columns = useMemo(
    () => columnsOf(columnKeys.keys, properties),
    // The keys are another array on each rendering, until the reader chooses some.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [columnKeys.keys.join(), properties],
  );
  const { createdCount, hasImported, forget } = useLiveContacts(list, view);
  const [selection, setSelection] = useState<ReadonlySet<string>>(nothing);
  const [exported, setExported] = useState<'shown' | 'selected'>();
  const selected = useMemo(
    () => rowsOf(list, selection),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [selection],
  );
  useEffect(() => {
    forget();
    setSelection(nothing);
  }, [key]);

  const [isAdding, setAdding] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const client = useQueryClient();
  const isEmpty = !list.isLoading && !list.isFormer && !list.error && list.count === 0;
  // An empty list has no rows that could move.
  const isFirst = isEmpty && (createdCount > 0 || hasImported);
  useEffect(() => {
    if (!isFirst) return;
    forget();
    list.reload();
  }, [isFirst]);
  const close = () => {
    navigate(`/contacts${search}`);
    // The row that was read last, not the one that was opened first.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-id="${id}"]`)?.focus({ preventScroll: true }),
    );
  };
  const added = ({ id, name, email }: Contact) => {
    setAdding(false);
    toast(`${name || email} was added.`);
    if (list.count === 0) list.reload();
    void client.invalidateQueries({ queryKey: ['contact-count'] });
    navigate(`/contacts/${id}${search}`);
  };
  return (
    <>
      <Split
        list={
          <Page
            title="Contacts"
            summary={summaryOf(count, filter !== undefined)}
            actions={
              <>
                <Button
                  icon={<Download size={16} aria-hidden />}
                  onClick={() => setExported('shown')}
                >
                  Export
                </Button>
                <Button
                  icon={<ListChecks size={16} aria-hidden />}
                  onClick={() => setChanging(true)}
                >
                  Change all
                </Button>
                <Link href="/imports" className={styles.import}>
                  <FileUp size={16} aria-hidden /> Import
                </Link>
                <Button
                  kind="primary"
                  icon={<Plus size={16} aria-hidden />}
                  data-key="n"
                  onClick={() => setAdding(true)}
                >
                  Add contact
                </Button>
              </>
            }
          >
            {isEmpty && !filter ? (
              <NoContacts onAdd={() => setAdding(true)} />
            ) : (
              <>
                <FilterBar view={view} change={change} properties={properties}>
                  <ColumnChooser {...columnKeys} properties={properties} />
                </FilterBar>
                <div>
                  {(createdCount > 0 || hasImported) && (
                    <News
                      text={newsOf(createdCount, hasImported)}
                      onShow={() => {
                        forget();
                        list.reload();
                      }}
                    />
                  )}
                  {isEmpty ? (
                    <Empty title="No contact matches">
                      <p>
                        Take away a filter, or look for a part of an address or a word of a name.
                      </p>
                      <Button onClick={() => change(noView(view.sort))}>Clear filters</Button>
                    </Empty>
                  ) : (
                    <Table
                      label="Contacts"
                      columns={columns}
                      // The columns do not change below the rows.
                      list={hasNoColumns ? { ...list, count: 0, isLoading: true } : list}
                      openId={id}
                      onOpen={(row) =>
                        navigate(`/contacts/${row.id}${search}`, { replace: id !== undefined })
                      }
                      nameOf={(row) => row.name || row.email}
                      selection={selection}
                      onSelect={setSelection}
                      isGone={(row) => row.isDeleted ?? false}
                    />
                  )}
                </div>
                {selected.length > 0 && (
                  <SelectionBar
                    rows={selected}
                    onExport={() => setExported('selected')}
                    onClear={() => setSelection(nothing)}
                  />
                )}
              </>
            )}
          </Page>
        }
        panel={
          id === undefined ? undefined : (
            <ContactPanel
              id={id}
              properties={properties}
              onChanged={(contact) => list.replace(id, () => rowOf(contact))}
              onDelete={(version) => {
                close();
                deleteContact(version, (isDeleted) =>
                  list.replace(id, (row) => ({ ...row, isDeleted })),
                );
              }}
              onErased={() => {
                close();
                list.replace(id, (row) => ({ ...row, isDeleted: true }));
              }}
              onClose={close}
            />
          )
        }
      />
      {exported && (
        <Suspense>
          <ExportContacts
            filter={filter}
            rows={exported === 'selected' ? selected : undefined}
            total={count?.contacts?.totalCount ?? undefined}
            properties={properties.map(({ name }) => name).toSorted()}
            onClose={() => setExported(undefined)}
          />
        </Suspense>
      )}
      {isChanging && (
        <Suspense>
          <ChangeAll
            filter={filter}
            onClose={(hasChanged) => {
              setChanging(false);
              if (!hasChanged) return;
              list.reload();
              void client.invalidateQueries({ queryKey: ['contact-count'] });
            }}
          />
        </Suspense>
      )}
      {isAdding && (
        <AddContact properties={properties} onAdded={added} onClose={() => setAdding(false)} />
      )}
    </>
  );
}

const useWorkspaceId = (): string => {
  const state = useSyncExternalStore(session.subscribe, session.state);
  return 'current' in state ? state.current.workspace.id : '';
};

function summaryOf(count: ContactCountQuery | undefined, isFiltered: boolean) {
  const { totalCount: total, totalIsEstimate } = count?.contacts ?? {};
  if (total === undefined || total === null) return undefined;
  const number = `${totalIsEstimate ? 'About ' : ''}${total.toLocaleString()}`;
  if (!isFiltered) return `${number} in this workspace`;
  return `${number} ${total === 1 ? 'contact matches' : 'contacts match'}`;
}

function newsOf(created: number, hasImported: boolean): string {
  if (hasImported) return 'Contacts were imported: show them';
  return `${created.toLocaleString()} new ${created === 1 ? 'contact' : 'contacts'}`;
}

function NoContacts({ onAdd }: { onAdd: () => void }) {
  const command = `curl ${gatewayUrl}/v1/contacts -H "Authorization: Bearer $ROSTER_KEY" \\
  -H 'Content-Type: application/json' -d '{"email": "ada@example.com", "name": "Ada Lovelace"}'`;
  return (
    <Empty title="No contacts yet">
      <p>Add one here, import a file of them, or send the first from your program:</p>
      <pre className={styles.command} tabIndex={0}>
        {command}
      </pre>
      <div className={styles.buttons}>
        <Copy text={command} what="command" isWide />
        <Link href="/imports" className={styles.import}>
          <FileUp size={16} aria-hidden /> Import a file
        </Link>
        <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={onAdd}>
          Add a contact
        </Button>
      </div>
    </Empty>
  );
}
