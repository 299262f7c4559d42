import { eventMessageBytesMax, eventStream } from '@roster/contracts';
import test from 'ava';
import { nanos, type StreamConfig } from 'nats';
import { connectProgram, connectThief, guardedNats } from './guarded-nats.js';

for (const program of ['contacts', 'dispatcher'] as const)
  test(`with the key of ${program}, an existing stream cannot be made to record the answers to other programs`, async (t) => {
    const guarded = await guardedNats(t);
    const { bus } = await connectProgram(t, guarded, program);
    await bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
    const thief = await connectThief(t, guarded, program);
    const { streams } = await thief.jetstreamManager({ checkAPI: false });
    const { config } = await streams.info(eventStream);
    const greedy: StreamConfig = { ...config, subjects: [...config.subjects, '_INBOX.>'] };
    await t.throwsAsync(streams.add(greedy), { message: /already in use/ });
    await t.throwsAsync(streams.update(eventStream, greedy), { message: /permissions violation/i });
    t.deepEqual((await streams.info(eventStream)).config.subjects, ['events.>']);
  });

test('the users service changes the settings of the stream, and other programs leave them as they are', async (t) => {
  const guarded = await guardedNats(t);
  const [contacts, users, dispatcher] = await Promise.all(
    (['contacts', 'users', 'dispatcher'] as const).map((name) => connectProgram(t, guarded, name)),
  );
  const agesOf = async (...openings: [typeof users, seconds: number][]) => {
    const ages: number[] = [];
    for (const [program, maxAgeSeconds] of openings) {
      await program!.bus.openEvents({ replicas: 1, maxAgeSeconds });
      const manager = await program!.bus.link.nats.jetstreamManager({ checkAPI: false });
      ages.push((await manager.streams.info(eventStream)).config.max_age / nanos(1000));
    }
    return ages;
  };
  t.deepEqual(
    await agesOf([contacts, 3600], [dispatcher, 7200], [users, 10_800], [contacts, 3600]),
    [3600, 3600, 10_800, 10_800],
  );
});

test('with the key of contacts, no message larger than an event can be stored', async (t) => {
  const guarded = await guardedNats(t);
  const { bus } = await connectProgram(t, guarded, 'users');
  await bus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
  const thief = await connectThief(t, guarded, 'contacts');
  const store = (bytes: number) =>
    thief.jetstream().publish('events.any.CONTACT_CREATED', Buffer.alloc(bytes));
  await t.notThrowsAsync(store(eventMessageBytesMax));
  await t.throwsAsync(store(eventMessageBytesMax + 1), { message: /exceeds maximum/ });
});
