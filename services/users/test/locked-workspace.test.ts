import { uuidOf, type InputOf, type OperationName, type Operations } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { checkLockIsolation } from '@roster/testing';
import test from 'ava';
import { callAs, makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test, { lockMs: 60_000 });
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

/** Rows of a workspace that are locked, as by a process that was paused in a transaction. */
const rowsOf = {
  users: 'select 1 from users.users where workspace_id = $1 for update',
  'the workspace': 'select 1 from users.workspaces where id = $1 for update',
};

const call = <Name extends OperationName>(
  workspace: Workspace,
  name: Name,
  input: InputOf<Operations[Name]>,
) => bench().bus.call(name, input, callAs(workspace, { timeoutMs: 60_000 }));

const ids = new IdClock();
const calls = {
  'users.me': (workspace: Workspace) => call(workspace, 'users.me', {}),
  'users.update-me': (workspace: Workspace) => call(workspace, 'users.update-me', { name: 'Ada' }),
  'users.create': (workspace: Workspace) =>
    call(workspace, 'users.create', { email: `${ids.next()}@example.com`, name: 'Ada' }),
  'keys.create': (workspace: Workspace) =>
    call(workspace, 'keys.create', { userId: workspace.userId, scopes: ['user'] }),
  'api-keys.create': (workspace: Workspace) =>
    call(workspace, 'api-keys.create', { name: 'Key', scopes: ['user'] }),
};

const scenarios = [
  { rows: 'users', operation: 'users.me' },
  { rows: 'users', operation: 'users.update-me' },
  { rows: 'the workspace', operation: 'users.create' },
  { rows: 'users', operation: 'keys.create' },
  { rows: 'users', operation: 'api-keys.create' },
] as const;

for (const { rows, operation } of scenarios)
  test.serial(
    `${operation} in a workspace of which ${rows} is locked delays no other workspace`,
    async (t) => {
      const [locked, other] = [await makeWorkspace(bench()), await makeWorkspace(bench())];
      const clientsOf = (workspace: Workspace) => Array(10).fill(() => calls[operation](workspace));
      await checkLockIsolation(t, {
        databaseUrl: bench().databaseUrl,
        lock: { text: rowsOf[rows], values: [uuidOf('workspace', locked.workspaceId)] },
        blocked: clientsOf(locked),
        others: clientsOf(other),
      });
    },
  );
