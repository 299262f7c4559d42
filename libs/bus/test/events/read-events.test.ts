import test from 'ava';
import { busFor, natsFor } from '../running-bus.js';
import { id, stream, workspaceId } from './event-readers.js';

test('an event that is read keeps nothing of its details in memory', async (t) => {
  const bus = await busFor(t, await natsFor(t));
  const publisher = await bus.openEvents(stream);
  const event = { id: id(1), workspaceId, kind: 'CONTACT_CREATED', body: '{}' } as const;
  await publisher.publish({ ...event, details: 'x'.repeat(10_000) });
  const sizes: number[] = [];
  for await (const { body } of bus.readEvents({ workspaceId })) sizes.push(body.buffer.byteLength);
  t.deepEqual(sizes, ['{}'.length]);
});
