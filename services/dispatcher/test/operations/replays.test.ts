import { uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { eventually } from '@roster/testing';
import test from 'ava';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { callerFor, codeOf, patient } from './caller.js';

test('a replay is counted first, runs in steps, is continued by another process, and can be cancelled', async (t) => {
  const running = await runDispatcher(t, { REPLAY_PER_SECOND: '4' });
  const call = callerFor(running);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url);
  const events = await Promise.all(Array.from({ length: 10 }, () => running.publish()));
  await running.publish('CONTACT_DELETED');
  await eventually(() => receiver.hits.length === 11);
  for (const { id } of events)
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  const wish = {
    webhookId: webhook.id,
    since: '2026-01-01T00:00:00Z',
    kinds: ['CONTACT_CREATED'] as const,
  };
  const dry = await call('replays.create', { ...wish, kinds: [...wish.kinds], dryRun: true });
  t.like(dry.replay, { id: null, total: 10, done: 0, status: 'dry_run' });
  t.is(
    (await call('replays.create', { ...wish, kinds: [...wish.kinds], status: 'dead' })).replay
      .status,
    'completed',
  );
  const { replay } = await call('replays.create', { ...wish, kinds: [...wish.kinds] });
  t.like(replay, { total: 10, status: 'running' });
  const second = await running.start({ REPLAY_PER_SECOND: '4' });
  const done = await eventually(async () => {
    const now = (await call('replays.get', { replayId: replay.id! })).replay;
    return now.status === 'completed' && now;
  }, patient);
  t.is(done.done, 10);
  await eventually(() => receiver.hits.length === 21, patient);
  await second();

  const cancelled = await call('replays.create', { ...wish, kinds: [...wish.kinds] });
  const stopped = await call('replays.cancel', { replayId: cancelled.replay.id! });
  t.is(stopped.replay.status, 'cancelled');
  t.true(stopped.replay.done < 10);
});

test('a replay whose steps fail does not delay another', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const receiver = await receiverFor(t);
  const [failing, healthy] = [running.addWebhook(receiver.url), running.addWebhook(receiver.url)];
  const { id } = await running.publish();
  for (const webhook of [failing, healthy])
    await eventually(async () => (await running.delivery(id, webhook))?.status === 'delivered');
  await running.database.em.execute(`
    create function refuse() returns trigger language plpgsql as $$ begin
      if new.webhook_id = '${uuidOf('webhook', failing.id)}' then raise exception 'not now'; end if;
      return new;
    end $$;
    create trigger refuse before insert on dispatcher.queue for each row execute function refuse()`);
  const since = '2026-01-01T00:00:00Z';
  const replay = async (webhookId: string) =>
    (await call('replays.create', { webhookId, since })).replay.id!;
  const stuck = await replay(failing.id);
  const other = await replay(healthy.id);
  const statusOf = async (replayId: string) =>
    (await call('replays.get', { replayId })).replay.status;
  await eventually(async () => (await statusOf(other)) === 'completed', patient);
  t.is(await statusOf(stuck), 'running');
  await eventually(() => receiver.hits.length === 3, patient);
});

test('replays of workspaces take turns: many of one workspace do not delay those of another', async (t) => {
  const running = await runDispatcher(t, { RETRY_SCHEDULE_SECONDS: '3600' });
  await running.stopAll();
  const { database, workspace } = running;
  const other = new IdClock().next();
  await database.query(insertReplays, [
    [workspace.id, other],
    [60, 2],
  ]);
  await database.em.execute(`
    create table steps (n serial, workspace_id uuid);
    create function note_step() returns trigger language plpgsql as
      $$ begin insert into public.steps (workspace_id) values (new.workspace_id); return new; end $$;
    create trigger note_step after update on dispatcher.replays for each row execute function note_step()`);
  await running.start();
  const steps = await eventually(async () => {
    const rows = await database.em.execute<{ workspace_id: string }[]>(
      'select workspace_id from steps order by n',
    );
    return rows.length >= 12 && rows.map((row) => row.workspace_id);
  }, patient);
  const turns = steps.map((id) => (id === other ? 'other' : 'busy'));
  t.is(turns.slice(0, 4).filter((id) => id === 'other').length, 2, turns.join(' '));
});

/** Inserts $2 replays of each workspace of $1, those of the first due longest. They have no deliveries: one step completes each. */
const insertReplays = {
  name: 'test.insert-replays',
  text: `
    insert into dispatcher.replays (workspace_id, id, webhook_id, since, until, total, status, next_at)
    select workspace_id, gen_random_uuid(), gen_random_uuid(), now() - interval '1 day', now(), 1, 'running',
      now() - interval '1 hour' + at * interval '1 minute'
    from unnest($1::uuid[], $2::int[]) with ordinality as w (workspace_id, count, at), generate_series(1, count)`,
};

test('lists replays newest first, page by page, of all webhooks or of one', async (t) => {
  const running = await runDispatcher(t);
  const call = callerFor(running);
  const webhooks = [1, 2].map(() => running.addWebhook('https://example.com/'));
  const created: { id: string; webhookId: string }[] = [];
  for (let n = 0; n < 7; n += 1) {
    const webhookId = webhooks[n % 2]!.id;
    const { replay } = await call('replays.create', { webhookId, since: '2026-01-01T00:00:00Z' });
    created.unshift({ id: replay.id!, webhookId });
  }
  // A dry run is not kept.
  await call('replays.create', {
    ...{ webhookId: webhooks[0]!.id, since: '2026-01-01T00:00:00Z', dryRun: true },
  });
  for (const webhookId of [undefined, webhooks[0]!.id, webhooks[1]!.id]) {
    const expected = created
      .filter((one) => webhookId === undefined || one.webhookId === webhookId)
      .map(({ id }) => id);
    for (const limit of [1, 2, 3, 100]) {
      const seen: string[] = [];
      let after: string | null | undefined;
      do {
        const page = await call('replays.list', {
          ...{ limit, ...(webhookId && { webhookId }), ...(after && { after }) },
        });
        seen.push(...page.replays.map(({ id }) => id!));
        after = page.pagination.next;
      } while (after);
      t.deepEqual(seen, expected, `${webhookId} ${limit}`);
    }
  }
  t.is(await codeOf(call('replays.list', { after: 'junk' })), 'invalid');
});
