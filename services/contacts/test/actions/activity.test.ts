import type { WorkspaceBroadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { contactsFor, newWorkspace } from '../running-contacts.js';
import { fill, start, startRunner } from './running-actions.js';

const running = contactsFor(test);

test('the progress of an action is announced to its workspace, and to no other', async (t) => {
  const { bus, service } = running();
  const [workspace, other] = [newWorkspace(bus), newWorkspace(bus)];
  const heard: WorkspaceBroadcasts['workspace.activity'][] = [];
  bus.listenTo(workspace.id, 'workspace.activity', (message) => void heard.push(message));
  bus.listenTo(other.id, 'workspace.activity', () => t.fail('another workspace'));
  await bus.link.nats.flush();
  const last = () => heard.flatMap(({ contactActions = [] }) => contactActions).at(-1);
  await fill(workspace, 3, (n) => ({ tags: n === 0 ? ['a'] : [] }));
  const input = { filter: {}, change: { addTags: ['a'] } };
  const { id } = await start(workspace, input);
  await eventually(() => last()?.status === 'queued');
  const { id: cancelled } = await start(workspace, input);
  await workspace.call('contact-actions.cancel', { actionId: cancelled });
  await eventually(() => last()?.status === 'cancelled');
  t.is(last()!.id, cancelled);
  startRunner(t, service);
  await eventually(() => last()?.status === 'completed');
  t.deepEqual(last(), {
    ...{ id, status: 'completed', total: 3, examined: 3 },
    ...{ matched: 3, changed: 2, unchanged: 1, failed: 0 },
  });
});
