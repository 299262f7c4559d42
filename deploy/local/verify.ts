import { randomUUID } from 'node:crypto';
import { steadyNow, type Bus } from '@roster/bus';
import {
  serviceNames,
  systemCaller,
  type InputOf,
  type OperationName,
  type Operations,
  type OutputOf,
  type ServiceName,
} from '@roster/contracts';

import { asOperator } from './as-operator.js';
import type { NatsConnection } from './nats-keys.js';

export interface VerifyOptions {
  /** ISO 8601. Earlier events are not examined. */
  since: string;
  /** What is younger may still be on its way. */
  olderThanSeconds: number;
  /** Has the services publish again what the stream lacks, and attempt the deliveries that are missing. */
  repair: boolean;
}

/** What is missing of one kind, and the first that are. */
export interface Finding {
  count: number;
  first: readonly string[];
}

export interface Verified extends VerifyOptions {
  /** What was compared. */
  rows: number;
  events: number;
  deliveries: number;
  /** Deliveries that were not looked for, because it is not certain that the webhook had subscribed to the event. */
  uncertain: number;
  /** By kind. */
  missing: Record<Kind, Finding>;
  repaired: number;
}

/** Each with what it means. */
const kinds = {
  unpublished: 'rows of an outbox that are not published',
  absent: 'published rows that the stream lacks',
  gaps: 'sequences of the stream without a message',
  unhandled: 'deliveries of events that no dispatcher has handled',
  undelivered: 'deliveries that handled events lack',
  unqueued: 'pending deliveries that are not in the queue',
  overdue: 'deliveries whose next attempt is overdue',
};
type Kind = keyof typeof kinds;

const timeoutMs = 30_000;
/** Of each kind, those that are named. */
const namedMax = 10;

/**
 * Compares outboxes, stream and deliveries of a running installation, page by page. Each service answers about its own tables.
 *
 * @throws as `asOperator`
 */
export const verify = (connection: NatsConnection, options: VerifyOptions): Promise<Verified> =>
  asOperator(connection, async (bus) => {
    const report = newReport(options);
    for (const service of serviceNames) await verifyOutbox(bus, service, report);
    await verifyDeliveries(bus, report);
    return report;
  });

/** Gaps prove no loss: erasures remove messages too, with their rows of the outbox. */
export const isWhole = ({ missing }: Verified): boolean =>
  Object.entries(missing).every(([kind, { count }]) => kind === 'gaps' || count === 0);

function newReport(options: VerifyOptions): Verified {
  const none = Object.keys(kinds).map((kind) => [kind, { count: 0, first: [] }]);
  return {
    ...options,
    ...{ rows: 0, events: 0, deliveries: 0, uncertain: 0, repaired: 0 },
    missing: Object.fromEntries(none) as Verified['missing'],
  };
}

async function verifyOutbox(bus: Bus, service: ServiceName, report: Verified): Promise<void> {
  let after: OutputOf<Operations['contacts.verify-outbox']>['next'] = null;
  do {
    const page: OutputOf<Operations['contacts.verify-outbox']> = await call(
      bus,
      `${service}.verify-outbox`,
      { ...inputOf(report), ...(after && { after }) },
    );
    const name = ({ eventId, kind }: { eventId: string; kind: string }) =>
      `${eventId} (${kind}, ${service})`;
    add(report, 'unpublished', page.unpublished.count, page.unpublished.rows.map(name));
    add(report, 'absent', page.absent.count, page.absent.rows.map(name));
    report.rows += page.compared;
    report.repaired += page.repaired;
    after = page.next;
  } while (after);
}

async function verifyDeliveries(bus: Bus, report: Verified): Promise<void> {
  let after: number | null = null;
  do {
    const page: OutputOf<Operations['dispatcher.verify-deliveries']> = await call(
      bus,
      'dispatcher.verify-deliveries',
      { ...inputOf(report), ...(after !== null && { after }) },
    );
    for (const kind of ['unhandled', 'undelivered', 'unqueued', 'overdue'] as const) {
      const { count, deliveries } = page[kind];
      const names = deliveries.map(
        (one) => `${one.deliveryId} (${one.eventId} to ${one.webhookId})`,
      );
      add(report, kind, count, names);
    }
    const { count, ranges } = page.gaps;
    const rangeOf = ({ from, until }: { from: number; until: number }) =>
      from === until ? `${from}` : `${from}-${until}`;
    add(report, 'gaps', count, ranges.map(rangeOf));
    report.events += page.events;
    report.deliveries += page.expected;
    report.uncertain += page.uncertain;
    report.repaired += page.repaired;
    after = page.next;
  } while (after !== null);
}

const inputOf = ({ since, olderThanSeconds, repair }: VerifyOptions) => ({
  since,
  olderThanSeconds,
  repair,
});

function add({ missing }: Verified, kind: Kind, count: number, names: readonly string[]): void {
  const { count: before, first } = missing[kind];
  missing[kind] = { count: before + count, first: [...first, ...names].slice(0, namedMax) };
}

const call = <Name extends OperationName>(
  bus: Bus,
  name: Name,
  input: InputOf<Operations[Name]>,
): Promise<OutputOf<Operations[Name]>> =>
  bus.call(name, input, {
    caller: systemCaller,
    requestId: randomUUID(),
    deadline: steadyNow() + timeoutMs,
  });

/** A line for what was compared, and for each kind one with the first that are missing. */
export function printVerified(report: Verified): string {
  const { since, rows, events, deliveries, uncertain, repaired, missing } = report;
  const found = Object.entries(kinds).map(([kind, meaning]) => {
    const { count, first } = missing[kind as Kind];
    const verdict = count === 0 ? 'ok     ' : kind === 'gaps' ? 'note   ' : 'missing';
    const head = `${verdict}  ${kind}: ${count} ${meaning}`;
    const more = count > first.length && count > 0 ? ['…'] : [];
    return [head, ...[...first, ...more].map((name) => `         ${name}`)].join('\n');
  });
  return [
    `Since ${since}: ${rows} published rows, ${events} events and ${deliveries} deliveries were compared.`,
    ...(uncertain > 0
      ? [
          `${uncertain} deliveries are not certain: their webhooks were created or changed around the events.`,
        ]
      : []),
    ...found,
    ...(repaired > 0 ? [`${repaired} are published or delivered again.`] : []),
  ].join('\n');
}
