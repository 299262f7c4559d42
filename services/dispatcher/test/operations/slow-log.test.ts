import type { StoredEvent } from '@roster/bus';
import { encodeId, Fault, systemCaller, type Operations, type OutputOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import { setTimeout } from 'node:timers/promises';
import { listEvents } from '../../operations/list-events.js';
import type { DispatcherService } from '../../service.js';

const ids = new IdClock();
const body = JSON.stringify({ created_at: new Date().toISOString(), data: {} });
const stored = Array.from({ length: 60 }, (_, at): StoredEvent => ({
  ...{ id: encodeId('event', ids.next()), kind: 'CONTACT_CREATED', body },
  ...{ sequence: at + 1, storedMs: Date.now(), republished: false },
}));

/** As the log of a busy system: each event takes a while. */
async function* slowly(events: readonly StoredEvent[]) {
  for (const event of events) {
    await setTimeout(50);
    yield event;
  }
  return false;
}

const service = {
  retainedSeconds: 3600,
  log: {
    readEvents: () => slowly(stored),
    readEventsBefore: () => slowly(stored.toReversed()),
    newestEvent: async () => stored.at(-1),
  },
} as unknown as DispatcherService;

for (const order of ['asc', 'desc'] as const)
  test(`a page in the order ${order} that takes long ends before all events are read, with a cursor`, async (t) => {
    const [answer] = (await listEvents(service)([
      {
        input: { limit: 100, order },
        caller: { ...systemCaller, workspaceId: encodeId('workspace', ids.next()) },
        ...{ deadline: Infinity, requestId: 'req' },
      },
    ])) as (OutputOf<Operations['event-log.list']> | Fault)[];
    if (answer === undefined || answer instanceof Fault) throw new Error(String(answer));
    const { events, pagination } = answer;
    t.true(events.length > 0 && events.length < stored.length, String(events.length));
    t.true(pagination.hasMore);
    const all = order === 'asc' ? stored : stored.toReversed();
    t.deepEqual(
      events.map(({ id }) => id),
      all.slice(0, events.length).map(({ id }) => id),
    );
    t.truthy(pagination.next);
  });
