import { encodeId } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { EventFeed, HeardMessage } from '../../events/event-feed.js';
import { Follower } from '../../events/follower.js';
import { workspaceId } from './event-readers.js';

const uuidOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const idOf = (n: number) => encodeId('event', uuidOf(n));
const perMessage = 50;

/** The message at a sequence. */
const messageAt = (sequence: number): HeardMessage => ({
  kind: 'CONTACT_CREATED',
  sequence,
  events: Array.from({ length: perMessage }, (_, n) => ({
    ...{ id: uuidOf(sequence * perMessage + n), body: '{}', details: undefined },
  })),
});

/** A follower that begins with the first message, of a feed whose next message is read when it is asked for. */
function followerFor() {
  const logged: unknown[] = [];
  const reads: PromiseWithResolvers<HeardMessage | undefined>[] = [];
  const next = () => {
    const read = Promise.withResolvers<HeardMessage | undefined>();
    reads.push(read);
    return read.promise;
  };
  const feed = {
    reader: { next },
    leave: () => undefined,
    ...{ skipped: { warn: (error: unknown) => logged.push(error) }, unread: { warn: () => {} } },
  };
  const received: string[] = [];
  const follower = new Follower(feed as unknown as EventFeed, {
    workspaceId,
    onEvent: ({ id }) => void received.push(id),
    onEnd: () => undefined,
  });
  return { follower, received, logged, read: (at: number) => eventually(() => reads[at]) };
}

test('a follower that has caught up receives few of the events at once that it heard meanwhile, and all of them', async (t) => {
  const { follower, received, read } = followerFor();
  const last = 40;
  follower.begin({ sequence: 1, skip: 0 });
  await read(0);
  for (let sequence = 1; sequence <= last; sequence += 1) follower.hear(messageAt(sequence));
  let most = 0;
  for (let sequence = 1; !follower.isLive; sequence += 1) {
    const reading = await read(sequence - 1);
    const before = received.length;
    reading.resolve(messageAt(sequence));
    await eventually(() => received.length > before);
    most = Math.max(most, received.length - before);
  }
  t.true(most <= 150, `${most} at once`);
  t.deepEqual(
    received,
    Array.from({ length: last * perMessage }, (_, n) => idOf(perMessage + n)),
  );
});

test('a message of lines that are not events is logged once', async (t) => {
  const { follower, received, logged, read } = followerFor();
  follower.begin({ sequence: 1, skip: 0 });
  (await read(0)).resolve(undefined);
  await eventually(() => follower.isLive);
  const nothing = { id: '', body: '', details: undefined };
  const { events } = messageAt(1);
  follower.hear({ ...messageAt(1), events: [nothing, ...events, nothing, nothing] });
  t.is(received.length, perMessage);
  t.is(logged.length, 1);
});
