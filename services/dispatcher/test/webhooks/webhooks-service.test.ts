import type { Bus, CallContext } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { WebhooksService } from '../../webhooks/webhooks-service.js';

test('every request counts as one of the workspace that it concerns', async (t) => {
  const workspaces: string[] = [];
  const bus = {
    call: async (_name: string, _input: object, { caller }: CallContext) => {
      workspaces.push(caller.workspaceId);
      return { subscriptions: [] };
    },
  } as unknown as Bus;
  const service = new WebhooksService(bus);
  const ids = new IdClock();
  const [workspaceId, webhookId] = [ids.next(), ids.next()];
  await service.webhooksOf(workspaceId);
  await service.disable(workspaceId, webhookId, 'gone');
  const health = { lastSuccessAt: null, lastFailureAt: null, failingSince: null };
  await service.reportHealth(workspaceId, webhookId, health);
  t.deepEqual(workspaces, Array(3).fill(encodeId('workspace', workspaceId)));
});
