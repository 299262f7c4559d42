import { setTimeout as delay } from 'node:timers/promises';
import { nuid, type ServiceInfo } from 'nats';
import type { Link } from './link.js';
import { monitoringInboxes } from './permissions/inboxes.js';
import { textOf } from './wire.js';

/** A process as it describes itself, and when its answer arrived. Times by `Date.now()` of this program. */
export interface RunningProcess extends Pick<ServiceInfo, 'name' | 'id' | 'version'> {
  metadata: Readonly<Record<string, string>>;
  askedAt: number;
  answeredAt: number;
}

/** How long to wait for a further process, and for all. */
const quietMs = 750;
const waitMs = 5000;

/** Asks all processes for what they are: see `Micro`. Only the operator may. */
export async function askProcesses(link: Link): Promise<RunningProcess[]> {
  const found: RunningProcess[] = [];
  const askedAt = Date.now();
  const inbox = `${monitoringInboxes}.${nuid.next()}`;
  const subscription = link.subscribe(inbox, {
    onMessage({ data }) {
      const { name, id, version, metadata = {} } = JSON.parse(textOf(data)) as ServiceInfo;
      found.push({ name, id, version, metadata, askedAt, answeredAt: Date.now() });
    },
  });
  try {
    link.nats.publish('$SRV.INFO', '', { reply: inbox });
    await link.nats.flush();
    let newest = Date.now();
    for (let count = 0; Date.now() < Math.min(newest + quietMs, askedAt + waitMs); await delay(20))
      if (found.length > count) [count, newest] = [found.length, Date.now()];
    return found;
  } finally {
    subscription.unsubscribe();
  }
}
