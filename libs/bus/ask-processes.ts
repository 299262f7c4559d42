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

/** Any program may answer, any number of times. Further answers are ignored. */
const processesMax = 1000;

/** Asks all processes for what they are: see `Micro`. Only the operator may. */
export async function askProcesses(link: Link): Promise<RunningProcess[]> {
  const found: RunningProcess[] = [];
  const askedAt = Date.now();
  const inbox = `${monitoringInboxes}.${nuid.next()}`;
  const subscription = link.subscribe(inbox, {
    onMessage({ data }) {
      const answeredAt = Date.now();
      const described = found.length < processesMax && describedIn(textOf(data));
      if (described && !found.some(({ id }) => id === described.id))
        found.push({ ...described, askedAt, answeredAt });
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

/**
 * What an answer says. A program with a stolen credential can send anything: what is no answer is ignored, and texts contain nothing
 * that a terminal would carry out.
 */
function describedIn(text: string): Omit<RunningProcess, 'askedAt' | 'answeredAt'> | undefined {
  let answer: Partial<ServiceInfo> | null;
  try {
    answer = JSON.parse(text) as Partial<ServiceInfo> | null;
  } catch {
    return undefined;
  }
  const { name, id, version, metadata } = answer ?? {};
  if (![name, id, version].every(isText) || typeof metadata !== 'object') return undefined;
  const entries = Object.entries(metadata ?? {}).filter(([, value]) => isText(value));
  return {
    ...{ name: printable(name!), id: printable(id!), version: printable(version!) },
    metadata: Object.fromEntries(entries.map(([key, value]) => [key, printable(value)])),
  };
}

const textMax = 4096;
const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= textMax;
const printable = (text: string): string => text.replaceAll(/\p{C}/gu, '\u{FFFD}');
