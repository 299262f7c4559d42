import { activityMax, encodeId, type WorkspaceBroadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { randomUUID } from 'node:crypto';
import { ActivityReporter } from '../index.js';

type Message = WorkspaceBroadcasts['workspace.activity'];

function reporterFor(t: ExecutionContext) {
  const sent: [workspaceId: string, Message][] = [];
  const reporter = new ActivityReporter({
    broadcastTo: (workspaceId, _name, message) => void sent.push([workspaceId, message]),
  });
  t.teardown(() => reporter.close());
  return { reporter, sent };
}

const replay = (id: string, done: number) => ({
  ...{ id: encodeId('replay', id), webhookId: encodeId('webhook', id), status: 'running' as const },
  ...{ total: 100, done },
});

test('changes are sent once per workspace after a while, with the last state of each thing', async (t) => {
  const { reporter, sent } = reporterFor(t);
  const [mine, other, id, second] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (let done = 0; done < 10; done += 1)
    reporter.note(mine, 'replays', id, () => replay(id, done));
  reporter.note(mine, 'replays', second, () => replay(second, 1));
  reporter.noteMore(other);
  t.deepEqual(sent, []);
  await eventually(() => sent.length > 0);
  t.deepEqual(sent, [
    [encodeId('workspace', mine), { replays: [replay(id, 9), replay(second, 1)] }],
    [encodeId('workspace', other), { more: true }],
  ]);
  reporter.noteMore(other);
  await eventually(() => sent.length === 3);
});

test('a burst is one message of bounded size that says that there is more; nothing is made of the rest', (t) => {
  const { reporter, sent } = reporterFor(t);
  const workspaceId = randomUUID();
  let made = 0;
  const burst = Array.from({ length: 10_000 }, () => randomUUID());
  for (const id of burst)
    reporter.note(workspaceId, 'replays', id, () => {
      made += 1;
      return replay(id, 1);
    });
  reporter.flush();
  t.is(sent.length, 1);
  const [, { replays, more }] = sent[0]!;
  t.deepEqual(
    replays,
    burst.slice(0, activityMax.replays).map((id) => replay(id, 1)),
  );
  t.true(more);
  t.is(made, activityMax.replays);
});

test('changes of very many workspaces are sent sooner instead of being kept, and none after the end', (t) => {
  const { reporter, sent } = reporterFor(t);
  for (let n = 0; n < 1000; n += 1) reporter.noteMore(randomUUID());
  t.true(sent.length > 700);
  reporter.close();
  t.is(sent.length, 1000);
  reporter.noteMore(randomUUID());
  reporter.flush();
  t.is(sent.length, 1000);
});
