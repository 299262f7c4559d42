import { connectBus } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import { IdClock } from '@roster/process';
import { setTimeout as delay } from 'node:timers/promises';
import { seedFileOf, type RunningRoster } from '../system/running-roster.js';

export interface EventLoad {
  roster: RunningRoster;
  /** Public IDs of workspaces, used in turn. */
  workspaceIds: readonly string[];
  seconds: number;
  /** Whether the dispatcher has enough events: the stream is not kept further ahead than necessary. */
  enough: (published: number) => boolean;
}

const publishedAtOnce = 256;

/** What filters of webhooks read. */
const details = JSON.stringify({
  contact: { tags: ['vip', 'beta'], properties: { city: 'Paris', age: 30 }, status: 'subscribed' },
});

/** Writes CONTACT_CREATED events directly to the stream, so that only deliveries are measured. Returns their number. */
export async function publishEvents(load: EventLoad): Promise<number> {
  const ignore = () => undefined;
  const bus = await connectBus({
    servers: load.roster.natsUrl,
    credentials: { nkeySeedFile: seedFileOf(load.roster, 'contacts') },
    name: 'contacts',
    log: { debug: ignore, warn: ignore, error: ignore },
  });
  const publisher = await bus.openEvents({ replicas: 1, maxAgeSeconds: 7 * 86_400 });
  const ids = new IdClock();
  const endsAt = performance.now() + load.seconds * 1000;
  let published = 0;
  while (performance.now() < endsAt) {
    if (load.enough(published)) {
      await delay(5);
      continue;
    }
    const batch = Array.from({ length: publishedAtOnce }, (_, n) => ({
      id: encodeId('event', ids.next()),
      workspaceId: load.workspaceIds[(published + n) % load.workspaceIds.length]!,
      kind: 'CONTACT_CREATED' as const,
      body: bodyFor(encodeId('contact', ids.next())),
      details,
    }));
    await Promise.all(batch.map((event) => publisher.publish(event)));
    published += batch.length;
  }
  await bus.close();
  return published;
}

function bodyFor(id: string): string {
  const createdAt = new Date().toISOString();
  const contact = { id, email: 'ada@example.com', name: 'Ada Lovelace', createdAt };
  return JSON.stringify({ event: 'CONTACT_CREATED', created_at: createdAt, data: { contact } });
}
