import { Plus } from 'lucide-react';
import { useState, useSyncExternalStore, type FormEvent } from 'react';
import { request } from '../../data/graphql.js';
import { useList } from '../../data/list.js';
import { useSubmit } from '../../data/submit.js';
import { Badge } from '../../parts/badge.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { Dialog, FormEnd } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Page } from '../../parts/page.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { session } from '../../session/session.js';
import {
  CreateUser,
  DeleteUser,
  RenameMe,
  Users as UsersDocument,
  type UserRowFragment,
} from './users.graphql.js';

/** The members of the workspace. A click edits one's own name, or removes another. */
export function Users() {
  const [isAdding, setAdding] = useState(false);
  const [opened, setOpened] = useState<UserRowFragment>();
  const state = useSyncExternalStore(session.subscribe, session.state);
  const me = state.status === 'signed-in' ? state.current.user.id : undefined;
  const list = useList({
    queryKey: ['users'],
    readPage: async (after, signal) => {
      const { users } = await request(UsersDocument, { first: 100, after }, signal);
      return { nodes: users!.nodes, ...users!.pageInfo };
    },
  });
  const close = () => setOpened(undefined);
  return (
    <Page
      title="Users"
      summary="Members of the workspace. Each has API keys and sessions of their own."
      actions={
        <Button
          kind="primary"
          icon={<Plus size={16} aria-hidden />}
          data-key="n"
          onClick={() => setAdding(true)}
        >
          Add user
        </Button>
      }
    >
      <Table
        label="Users"
        columns={columns(me)}
        list={list}
        onOpen={setOpened}
        nameOf={({ name }) => name}
      />
      {isAdding && <AddDialog onClose={() => setAdding(false)} onAdded={list.reload} />}
      {opened && opened.id === me && (
        <RenameDialog
          user={opened}
          onClose={close}
          onRenamed={(name) => list.replace(opened.id, (row) => ({ ...row, name }))}
        />
      )}
      {opened && opened.id !== me && (
        <Confirm
          title={`Delete ${opened.name || opened.email}?`}
          action="Delete user"
          onClose={close}
          run={async () => {
            await request(DeleteUser, { id: opened.id });
            list.remove(opened.id);
          }}
        >
          All API keys and sessions of <bdi>{opened.email}</bdi> end within a second. Contacts and
          webhooks are kept. This cannot be undone.
        </Confirm>
      )}
    </Page>
  );
}

const columns = (me: string | undefined): Column<UserRowFragment>[] => [
  {
    key: 'name',
    label: 'Name',
    width: 'minmax(0, 2fr)',
    render: ({ id, name, email }) => (
      <>
        <bdi>{name || email}</bdi> {id === me && <Badge>You</Badge>}
      </>
    ),
  },
  {
    key: 'email',
    label: 'Email',
    width: 'minmax(0, 2fr)',
    from: 520,
    render: ({ email }) => <bdi>{email}</bdi>,
  },
  {
    key: 'accessed',
    label: 'Last active',
    width: '130px',
    align: 'end',
    from: 420,
    render: ({ lastAccessedAt }) => <Time at={lastAccessedAt} />,
  },
];

function AddDialog({ onClose, onAdded }: { onClose: () => void; onAdded: () => void }) {
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['name', 'email']);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { name, email } = Object.fromEntries(new FormData(event.currentTarget)) as Record<
      string,
      string
    >;
    void submit(async () => {
      await request(CreateUser, { input: { name: name!, email: email! } });
      onAdded();
      onClose();
    });
  };
  return (
    <Dialog title="Add a user" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field label="Name" error={errorOf('name')}>
          <input name="name" required autoComplete="off" autoFocus />
        </Field>
        <Field
          label="Email"
          error={errorOf('email')}
          hint="Create an API key for the user afterwards."
        >
          <input name="email" type="email" required autoComplete="off" />
        </Field>
        <FormEnd action="Add user" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

interface RenameDialogProps {
  user: UserRowFragment;
  onClose: () => void;
  onRenamed: (name: string) => void;
}

function RenameDialog({ user, onClose, onRenamed }: RenameDialogProps) {
  const [submit, { isBusy, errorOf, failure }] = useSubmit(['name']);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get('name') as string;
    void submit(async () => {
      await request(RenameMe, { input: { name } });
      onRenamed(name);
      onClose();
    });
  };
  return (
    <Dialog title="Your name" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field label="Name" error={errorOf('name')}>
          <input name="name" required defaultValue={user.name} autoComplete="name" autoFocus />
        </Field>
        <FormEnd action="Save" failure={failure} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
