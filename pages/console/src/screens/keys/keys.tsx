import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../data/graphql.js';
import { useList } from '../../data/list.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Page } from '../../parts/page.js';
import { Split } from '../../parts/split.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { KeyPanel } from './key-panel.js';
import { Keys as KeysDocument, KeyUsers, type KeyRowFragment } from './keys.graphql.js';

/** The API keys of the workspace. */
export function Keys() {
  const [search, setSearch] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const list = useList({
    queryKey: ['keys'],
    readPage: async (after, signal) => {
      const { apiKeys } = await request(KeysDocument, { first: 100, after }, signal);
      return { nodes: apiKeys!.nodes, ...apiKeys!.pageInfo };
    },
  });
  const { data: users } = useQuery({
    queryKey: ['key-users'],
    queryFn: ({ signal }) => request(KeyUsers, {}, signal),
  });
  const nameOf = (id: string) => users?.users?.nodes.find((user) => user.id === id)?.name ?? id;
  const openId = search.get('key') ?? undefined;
  const open = (id?: string) => setSearch(id ? { key: id } : {}, { replace: true });
  const opened = list.find(openId);
  return (
    <>
      <Split
        list={
          <Page
            title="Keys"
            summary="Programs authenticate with API keys. Pages in a browser use tokens instead."
            actions={
              <Button
                kind="primary"
                icon={<Plus size={16} aria-hidden />}
                data-key="n"
                onClick={() => setCreating(true)}
              >
                New key
              </Button>
            }
          >
            <Table
              label="API keys"
              columns={columns(nameOf)}
              list={list}
              openId={openId}
              onOpen={({ id }) => open(id)}
              nameOf={({ name }) => name}
            />
          </Page>
        }
        panel={
          opened && (
            <KeyPanel
              key={opened.id}
              apiKey={opened}
              owner={nameOf(opened.userId)}
              onClose={() => open()}
              onChanged={list.reload}
            />
          )
        }
      />
      {isCreating && (
        <CreateKeyDialog
          users={users?.users?.nodes ?? []}
          onClose={() => setCreating(false)}
          onCreated={list.reload}
        />
      )}
    </>
  );
}

const columns = (nameOf: (id: string) => string): Column<KeyRowFragment>[] => [
  {
    key: 'name',
    label: 'Name',
    width: 'minmax(0, 3fr)',
    render: (key) => (
      <>
        <bdi>{key.name || 'Without a name'}</bdi> <Expiry of={key} />
      </>
    ),
  },
  {
    key: 'prefix',
    label: 'Begins with',
    width: '150px',
    from: 520,
    render: ({ prefix }) => prefix && <code>{prefix}…</code>,
  },
  {
    key: 'owner',
    label: 'User',
    width: 'minmax(0, 2fr)',
    from: 680,
    render: ({ userId }) => <bdi>{nameOf(userId)}</bdi>,
  },
  {
    key: 'used',
    label: 'Last used',
    width: '130px',
    align: 'end',
    from: 420,
    render: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never'),
  },
];

const dayMs = 86_400_000;

/** Only what needs attention: a key that expires within a week, or has expired. */
function Expiry({ of: { expiresAt } }: { of: KeyRowFragment }) {
  if (!expiresAt) return null;
  const leftMs = Date.parse(expiresAt) - Date.now();
  if (leftMs < 0) return <Badge kind="bad">Expired</Badge>;
  return leftMs < 7 * dayMs ? (
    <Badge kind="warn">
      Expires <Time at={expiresAt} />
    </Badge>
  ) : null;
}
