import type { WorkspaceBroadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { contactsFor, newWorkspace } from '../running-contacts.js';
import { addresses, startRunner, upload } from './running-imports.js';

const running = contactsFor(test);

test('the progress of an import is announced to its workspace, and to no other', async (t) => {
  const { bus, service } = running();
  const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
  const heard: WorkspaceBroadcasts['workspace.activity'][] = [];
  bus.listenTo(workspace.id, 'workspace.activity', (message) => void heard.push(message));
  bus.listenTo(other.id, 'workspace.activity', () => t.fail('another workspace'));
  await bus.link.nats.flush();
  const imports = () => heard.flatMap((message) => message.imports ?? []);
  const id = await upload(
    workspace,
    addresses(3).map((email) => ({ email })),
  );
  await eventually(() => imports().at(-1)?.status === 'queued');
  startRunner(t, service);
  await eventually(() => imports().at(-1)?.status === 'completed');
  t.deepEqual(imports().at(-1), {
    ...{ id, status: 'completed', total: 3, done: 3 },
    ...{ created: 3, updated: 0, skipped: 0, failed: 0 },
  });
});
