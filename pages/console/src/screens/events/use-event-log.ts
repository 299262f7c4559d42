import { useMemo, useState } from 'react';
import { request } from '../../data/graphql.js';
import { filledPage, useList, type List } from '../../data/list.js';
import type { EventKind } from '../../data/live.graphql.js';
import { useLiveEvents, type LiveEvent } from '../../data/live.js';
import { EventLog } from './events.graphql.js';

/** Events that are kept above the ones that were read, until they are read too. */
const freshMax = 2000;
const pageSize = 100;

interface Fresh {
  /** Of these kinds and contact. */
  key: string;
  shown: readonly LiveEvent[];
  /** Arrived while the list was paused, or the reader was further below. */
  waiting: readonly LiveEvent[];
}

/** The log, newest first. New events stand above the others as they happen, unless the reader holds the list. */
export function useEventLog(
  kinds: EventKind[] | null,
  contactId: string | null,
  isHeld: () => boolean,
) {
  const key = JSON.stringify([kinds, contactId]);
  const read = useList<LiveEvent>({
    queryKey: ['event-log', key],
    readPage: (from, signal) =>
      filledPage(from, async (after) => {
        const { eventLog } = await request(
          EventLog,
          { first: pageSize, after, kinds, contactId },
          signal,
        );
        return { nodes: eventLog!.nodes, ...eventLog!.pageInfo };
      }),
    keepsFormer: true,
  });
  const [state, setState] = useState<Fresh>({ key, shown: [], waiting: [] });
  const fresh = state.key === key ? state : { key, shown: [], waiting: [] };
  useLiveEvents((event) => {
    if (kinds && !kinds.includes(event.kind)) return;
    if (contactId && !('contact' in event && event.contact.id === contactId)) return;
    const { shown, waiting } = fresh;
    if ([shown, waiting].some((list) => list.some(({ id }) => id === event.id))) return;
    if (read.find(event.id)) return;
    if (shown.length + waiting.length >= freshMax) {
      // Read again instead of kept without a bound.
      if (!isHeld()) reload();
      return;
    }
    setState(
      isHeld()
        ? { key, shown, waiting: [event, ...waiting] }
        : { key, shown: [event, ...waiting, ...shown], waiting: [] },
    );
  });
  const reload = () => {
    setState({ key, shown: [], waiting: [] });
    read.reload();
  };
  const show = () => setState({ key, shown: [...fresh.waiting, ...fresh.shown], waiting: [] });
  // Those that happened while the first page was read may be in both.
  const newest = read.at(0);
  const above = useMemo(() => {
    const ids = Array.from({ length: Math.min(read.count, pageSize) }, (_, at) => read.at(at)!.id);
    const first = new Set(ids);
    return fresh.shown.filter(({ id }) => !first.has(id));
  }, [fresh.shown, newest]);
  const list: List<LiveEvent> = {
    ...read,
    count: read.isLoading ? 0 : above.length + read.count,
    at: (index) => (index < above.length ? above[index] : read.at(index - above.length)),
    find: (id) => above.find((one) => one.id === id) ?? read.find(id),
    reload,
  };
  return { list, waiting: fresh.waiting.length, show };
}
