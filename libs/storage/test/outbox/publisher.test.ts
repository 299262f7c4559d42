import test from 'ava';
import { OutboxPublisher } from '../../outbox/publisher.js';
import type { OutboxStream } from '../../outbox/positions.js';
import type { OutboxTable } from '../../outbox/table.js';
import type { OutboxRow } from '../../index.js';

const workspaceOf = (name: 'a' | 'b') => `00000000-0000-7000-8000-00000000000${name}`;

const eventsOf = (name: 'a' | 'b', count: number): OutboxRow[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `00000000-0000-7000-8000-${name}${String(n).padStart(11, '0')}`,
    workspaceId: workspaceOf(name),
    kind: 'CONTACT_CREATED',
    body: name,
  }));

/** A publisher whose stream acknowledges when it is told to. */
function publisherWith(isOtherActive: (workspaceId: string) => boolean) {
  const inFlight: { body: string; acknowledge: (sequence: number) => void }[] = [];
  const stream: Pick<OutboxStream, 'publish'> = {
    publish: ({ body }) => new Promise((acknowledge) => void inFlight.push({ body, acknowledge })),
  };
  const publisher = new OutboxPublisher({
    table: {} as OutboxTable,
    stream: stream as OutboxStream,
    log: { debug: () => undefined },
    isOtherActive,
  });
  publisher.open(1);
  const countOf = (name: string) => inFlight.filter(({ body }) => body === name).length;
  return { publisher, inFlight, countOf };
}

test('a workspace has few events in flight while others are active, and more the more it has queued', async (t) => {
  const { publisher, inFlight, countOf } = publisherWith(() => true);
  publisher.publish(eventsOf('a', 128));
  t.is(countOf('a'), 17);
  publisher.publish(eventsOf('b', 10));
  t.is(countOf('b'), 10);
  publisher.publish(eventsOf('a', 1280));
  t.is(countOf('a'), 27);
  const drained = publisher.drain();
  let sent = 0;
  while (inFlight.length > 0) {
    inFlight.shift()!.acknowledge((sent += 1));
    await Promise.resolve();
    await new Promise(setImmediate);
  }
  await drained;
  t.is(sent, 1418);
  t.is(publisher.takeAcknowledged().length, sent);
});

test('a workspace has as many events in flight as all together while no other is active', (t) => {
  const { publisher, countOf } = publisherWith((workspaceId) => workspaceId === workspaceOf('b'));
  publisher.publish(eventsOf('a', 1000));
  t.is(countOf('a'), 128);
});
