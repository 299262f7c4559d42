import { uuidOf, type InputOf, type OperationName, type Operations } from '@roster/contracts';
import { checkLockIsolation } from '@roster/testing';
import test from 'ava';
import {
  callAs,
  makeWebhook,
  makeWorkspace,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test, { lockMs: 60_000 });

/** What a transaction of a paused process locks. */
const locks = {
  webhooks: 'select 1 from webhooks.webhooks where workspace_id = $1 for update',
  creation: `select pg_advisory_xact_lock(hashtextextended('roster:webhooks:' || $1, 0))`,
};

const call = <Name extends OperationName>(
  workspace: Workspace,
  name: Name,
  input: InputOf<Operations[Name]>,
) => bench().bus.call(name, input, callAs(workspace, { timeoutMs: 60_000 }));

const health = { lastSuccessAt: null, lastFailureAt: new Date().toISOString(), failingSince: null };
const events: ['CONTACT_CREATED'] = ['CONTACT_CREATED'];

/** Calls of a workspace that has the webhook. */
const calls = {
  'webhooks.update': (workspace: Workspace, webhookId: string) =>
    call(workspace, 'webhooks.update', { webhookId, events }),
  'webhooks.rotate-token': (workspace: Workspace, webhookId: string) =>
    call(workspace, 'webhooks.rotate-token', { webhookId, overlapSeconds: 0 }),
  'webhooks.report-health': (workspace: Workspace, webhookId: string) =>
    call(workspace, 'webhooks.report-health', { ...workspace, webhookId, ...health }),
  'webhooks.shut-off': (workspace: Workspace, webhookId: string) =>
    call(workspace, 'webhooks.shut-off', { ...workspace, webhookId, reason: 'gone' }),
  'webhooks.create': async (workspace: Workspace) => {
    const url = 'https://example.com/hooks';
    const { webhook } = await call(workspace, 'webhooks.create', { url, events });
    // Below the maximum of a workspace.
    await call(workspace, 'webhooks.delete', { webhookId: webhook.id });
  },
};

const scenarios = [
  { lock: 'webhooks', operation: 'webhooks.update' },
  { lock: 'webhooks', operation: 'webhooks.rotate-token' },
  { lock: 'webhooks', operation: 'webhooks.report-health' },
  { lock: 'webhooks', operation: 'webhooks.shut-off' },
  { lock: 'creation', operation: 'webhooks.create' },
] as const;

for (const { lock, operation } of scenarios)
  test.serial(
    `${operation} in a workspace whose ${lock} is locked delays no other workspace`,
    async (t) => {
      const [locked, other] = [makeWorkspace(), makeWorkspace()];
      const clientsOf = async (workspace: Workspace) => {
        const { id } = await makeWebhook(bench(), workspace);
        return Array(10).fill(() => calls[operation](workspace, id));
      };
      await checkLockIsolation(t, {
        databaseUrl: bench().databaseUrl,
        blocked: await clientsOf(locked),
        others: await clientsOf(other),
        lock: { text: locks[lock], values: [uuidOf('workspace', locked.workspaceId)] },
      });
    },
  );
