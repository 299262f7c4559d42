import { useQuery } from '@tanstack/react-query';
import { useLocation, useParams } from 'wouter';
import { request } from '../../data/graphql.js';
import { useList } from '../../data/list.js';
import { Badge } from '../../parts/badge.js';
import { Page } from '../../parts/page.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import {
  ContactCount,
  Contacts as ContactsDocument,
  type ContactRowFragment,
} from './contacts.graphql.js';

/** The contacts of the workspace: a table, and the contact of the address beside it. */
export function Contacts() {
  const { id } = useParams();
  const [, navigate] = useLocation();
  const list = useList({
    queryKey: ['contacts'],
    readPage: async (after, signal) => {
      const { contacts } = await request(ContactsDocument, { first: 100, after }, signal);
      return { nodes: contacts!.nodes, ...contacts!.pageInfo };
    },
  });
  const { data } = useQuery({
    queryKey: ['contact-count'],
    queryFn: ({ signal }) => request(ContactCount, {}, signal),
  });
  const total = data?.contacts?.totalCount;
  return (
    <Page
      title="Contacts"
      summary={
        total !== null && total !== undefined && `${total.toLocaleString()} in this workspace`
      }
    >
      <Table
        label="Contacts"
        columns={columns}
        list={list}
        openId={id}
        onOpen={(row) => navigate(`/contacts/${row.id}`)}
        nameOf={(row) => row.name || row.email}
      />
    </Page>
  );
}

const columns: Column<ContactRowFragment>[] = [
  {
    key: 'contact',
    label: 'Contact',
    width: 'minmax(0, 3fr)',
    render: ({ name, email, status }) => (
      <>
        <bdi>{name || email}</bdi>{' '}
        {status === 'UNSUBSCRIBED' && <Badge kind="warn">Unsubscribed</Badge>}
      </>
    ),
  },
  {
    key: 'tags',
    label: 'Tags',
    width: 'minmax(0, 2fr)',
    from: 700,
    render: ({ tags }) => tags.join(', '),
  },
  {
    key: 'created',
    label: 'Created',
    width: '140px',
    align: 'end',
    from: 560,
    render: ({ createdAt }) => <Time at={createdAt} />,
  },
];
