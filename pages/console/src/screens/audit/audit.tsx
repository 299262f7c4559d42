import { useSearchParams } from 'wouter';
import { request } from '../../data/graphql.js';
import { useList } from '../../data/list.js';
import { Field } from '../../parts/field.js';
import { Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { actorWords, AuditPanel } from './audit-panel.js';
import { actionWords, actions } from './actions.js';
import styles from './audit.module.css';
import { AuditLog as AuditLogDocument, type AuditRowFragment } from './audit.graphql.js';

/** Who changed what, and from where. */
export function AuditLog() {
  const [search, setSearch] = useSearchParams();
  const action = search.get('action');
  const since = search.get('since');
  const list = useList({
    queryKey: ['audit', action, since],
    readPage: async (after, signal) => {
      const filter = { action, since: since && new Date(since).toISOString() };
      const { auditLog } = await request(
        AuditLogDocument,
        { first: 100, after, ...filter },
        signal,
      );
      return { nodes: auditLog!.nodes, ...auditLog!.pageInfo };
    },
  });
  const set = (name: string, value: string) =>
    setSearch(
      (old) => {
        const next = new URLSearchParams(old);
        if (value) next.set(name, value);
        else next.delete(name);
        if (name !== 'entry') next.delete('entry');
        return next;
      },
      { replace: true },
    );
  const openId = search.get('entry') ?? undefined;
  const opened = list.find(openId);
  return (
    <Split
      list={
        <Page title="Audit log" summary="Changes of the workspace, newest first.">
          <div className={styles.filters}>
            <Field label="Action">
              <select value={action ?? ''} onChange={({ target }) => set('action', target.value)}>
                <option value="">All actions</option>
                {actions.map((one) => (
                  <option key={one} value={one}>
                    {actionWords(one)}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Since">
              <input
                type="date"
                value={since ?? ''}
                onChange={({ target }) => set('since', target.value)}
              />
            </Field>
          </div>
          <Table
            label="Audit log"
            columns={columns}
            list={list}
            openId={openId}
            onOpen={({ id }) => set('entry', id)}
            nameOf={({ action: one }) => actionWords(one)}
          />
        </Page>
      }
      panel={
        opened && <AuditPanel key={opened.id} entry={opened} onClose={() => set('entry', '')} />
      }
    />
  );
}

const columns: Column<AuditRowFragment>[] = [
  {
    key: 'action',
    label: 'Action',
    width: 'minmax(0, 2fr)',
    render: ({ action }) => actionWords(action),
  },
  {
    key: 'actor',
    label: 'By',
    width: 'minmax(0, 2fr)',
    from: 420,
    render: (row) => <bdi title={row.actor ?? undefined}>{actorWords(row)}</bdi>,
  },
  {
    key: 'resource',
    label: 'Resource',
    width: 'minmax(0, 2fr)',
    from: 800,
    render: ({ resourceId }) => <code>{resourceId}</code>,
  },
  {
    key: 'address',
    label: 'From',
    width: '140px',
    from: 640,
    render: ({ address }) => address,
  },
  {
    key: 'time',
    label: 'Time',
    width: '120px',
    align: 'end',
    from: 360,
    render: ({ createdAt }) => <Time at={createdAt} />,
  },
];
