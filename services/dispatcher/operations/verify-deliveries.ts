import type { Handler, PlacedMessage } from '@roster/bus';
import {
  decodeId,
  encodeId,
  verifiedMax,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { deliveriesOf } from '../delivery/dispatch-events.js';
import type { Delivery } from '../delivery/delivery.js';
import { readOverdue, readStates, requeue } from '../queue/queue-table.js';
import { recordOutcomes } from '../queue/record-outcomes.js';
import type { DispatcherService } from '../service.js';
import { comesBefore, subscribedSince, type KnownWebhook } from '../webhooks/known-webhook.js';

type Verify = Operations['dispatcher.verify-deliveries'];
type Input = InputOf<Verify>;
type Output = OutputOf<Verify>;
type Named = Pick<Delivery, 'workspaceId' | 'id' | 'eventId' | 'webhookId'>;

/** Messages of a page. They are requested one by one, and each may have several events. */
const messagesMax = 250;
/** Overdue deliveries that are read. */
const overdueMax = 1000;
const dayMs = 86_400_000;

/** Answers `roster verify` about deliveries: those that the events of the stream should have, and those that wait for too long. */
export const verifyDeliveries =
  (service: DispatcherService): Handler<Verify> =>
  async (calls) => {
    const answers: Output[] = [];
    for (const { input } of calls) answers.push(await verifiedPage(service, input));
    return answers;
  };

async function verifiedPage(service: DispatcherService, input: Input): Promise<Output> {
  // Before the messages: what is acknowledged by now is recorded when deliveries are read.
  const acknowledged = await service.acknowledgedSequence();
  const { messages, gaps, next } = await readMessages(service, input);
  const { expected, uncertain } = await expectedOf(service, messages, input);
  const states = await statesOf(service, expected);
  const missing = expected.filter(({ delivery }) => !states.has(delivery.id));
  const undelivered = missing.filter(({ sequence }) => sequence <= acknowledged);
  const unqueued = expected.filter(({ delivery }) => states.get(delivery.id) === 'unqueued');
  const overdue = input.after === undefined ? await overdueOf(service, input) : [];
  const deliveries = undelivered.map(({ delivery }) => delivery);
  if (input.repair) {
    await queueMissing(service, deliveries);
    await queueAgain(
      service,
      unqueued.map(({ delivery }) => delivery),
    );
  }
  return {
    events: messages.reduce((sum, { events }) => sum + events.length, 0),
    ...{ expected: expected.length, uncertain, gaps },
    undelivered: named(deliveries),
    unhandled: named(
      missing.filter((one) => !undelivered.includes(one)).map(({ delivery }) => delivery),
    ),
    unqueued: named(unqueued.map(({ delivery }) => delivery)),
    overdue: named(overdue),
    repaired: input.repair ? undelivered.length + unqueued.length : 0,
    next,
  };
}

const named = (all: readonly Named[]): Output['overdue'] => ({
  count: all.length,
  deliveries: all.slice(0, verifiedMax).map(({ workspaceId, id, eventId, webhookId }) => ({
    deliveryId: encodeId('delivery', id),
    eventId: encodeId('event', eventId),
    webhookId: encodeId('webhook', webhookId),
    workspaceId: encodeId('workspace', workspaceId),
  })),
});

/** The messages of the page, and the sequences between them that have none. Ends before the first one that is too young. */
async function readMessages(
  { stream, deliveryRetentionDays }: DispatcherService,
  { since, after, olderThanSeconds }: Input,
) {
  const { created, first, last } = await stream.bounds();
  const untilMs = Date.now() - olderThanSeconds * 1000;
  // Older deliveries are being dropped, with the partition of their day.
  const sinceMs = Math.max(Date.parse(since), Date.now() - (deliveryRetentionDays - 1) * dayMs);
  const start = after === undefined ? await stream.sequenceSince(sinceMs) : after + 1;
  const from = Math.max(first, start ?? last + 1);
  const until = Math.min(last, from + messagesMax - 1);
  const sequences = Array.from({ length: Math.max(0, until - from + 1) }, (_, at) => from + at);
  const found = await Promise.all(sequences.map((sequence) => stream.at(sequence, created)));
  const young = found.findIndex((message) => message !== undefined && message.storedMs > untilMs);
  const read = young === -1 ? found : found.slice(0, young);
  const isAged = found.includes(undefined) ? (await stream.bounds()).first : first;
  const absent = sequences.filter(
    (sequence, at) => at < read.length && !read[at] && sequence >= isAged,
  );
  return {
    messages: read.filter((message) => message !== undefined),
    gaps: { count: absent.length, ranges: rangesOf(absent).slice(0, verifiedMax) },
    next: young === -1 && until < last ? until : null,
  };
}

function rangesOf(sequences: readonly number[]): Output['gaps']['ranges'] {
  const ranges: Output['gaps']['ranges'] = [];
  for (const sequence of sequences) {
    const range = ranges.at(-1);
    if (range?.until === sequence - 1) range.until = sequence;
    else ranges.push({ from: sequence, until: sequence });
  }
  return ranges;
}

interface Expected {
  delivery: Delivery;
  sequence: number;
}

/** The deliveries that the messages should have, to enabled webhooks as they are now. */
async function expectedOf(
  { subscriptions }: DispatcherService,
  messages: readonly PlacedMessage[],
  { olderThanSeconds }: Input,
): Promise<{ expected: Expected[]; uncertain: number }> {
  const startedAt = performance.now();
  const expected: Expected[] = [];
  let uncertain = 0;
  for (const { workspaceId, kind, events, position, republished, storedMs } of messages) {
    const rawWorkspaceId = decodeId('workspace', workspaceId);
    if (rawWorkspaceId === undefined) continue;
    const subscribers = (await subscriptions.of(rawWorkspaceId, startedAt)).subscribersOf(kind);
    if (!subscribers) continue;
    const usable = events.filter(({ id }) => id !== '');
    const wanted = usable.flatMap((event) =>
      deliveriesOf(event, { rawWorkspaceId, kind, position, republished }, subscribers),
    );
    for (const { delivery, webhook } of wanted) {
      if (webhook.disabledReason !== null) continue;
      const moment = { rawId: delivery.eventId, position, republished };
      const since = subscribedSince(webhook, kind)!;
      // Processes learn of a change of a webhook after a moment.
      const isCertain =
        comesBefore(moment, since) === false &&
        storedMs > Math.max(since.ms, filteredSince(webhook)) + olderThanSeconds * 1000;
      if (isCertain) expected.push({ delivery, sequence: position.sequence });
      else uncertain += 1;
    }
  }
  return { expected, uncertain };
}

const filteredSince = ({ filterChangedMs }: KnownWebhook): number => filterChangedMs ?? 0;

type State = 'unqueued' | 'recorded';

/** The recorded deliveries by ID. A pending one without a row in the queue is not attempted. */
async function statesOf(
  { database }: DispatcherService,
  expected: readonly Expected[],
): Promise<Map<string, State>> {
  const states = new Map<string, State>();
  const byWorkspace = Map.groupBy(expected, ({ delivery }) => delivery.workspaceId);
  for (const [workspaceId, own] of byWorkspace) {
    const rows = await database.query<{ id: string; unqueued: boolean }>(readStates, [
      workspaceId,
      own.map(({ delivery }) => delivery.id),
    ]);
    for (const { id, unqueued } of rows) states.set(id, unqueued ? 'unqueued' : 'recorded');
  }
  return states;
}

/** Deliveries whose next attempt should have been made. Those of webhooks with a rate wait for it, those of disabled ones are parked. */
async function overdueOf(
  { database, subscriptions }: DispatcherService,
  { olderThanSeconds }: Input,
): Promise<Named[]> {
  const startedAt = performance.now();
  const rows = await database.query<Named>(readOverdue, [olderThanSeconds, overdueMax]);
  const overdue: Named[] = [];
  for (const row of rows) {
    const { all } = await subscriptions.of(row.workspaceId, startedAt);
    const webhook = all.find(({ id }) => id === row.webhookId);
    if (webhook?.disabledReason === null && webhook.ratePerSecond === null) overdue.push(row);
  }
  return overdue;
}

/** Deliveries that are recorded meanwhile are not changed. */
async function queueMissing(
  { database, partitions, queue }: DispatcherService,
  deliveries: readonly Delivery[],
): Promise<void> {
  const outcomes = deliveries.map((delivery) => ({
    ...{ delivery, dueInSeconds: 0 },
    status: 'pending' as const,
  }));
  if (outcomes.length === 0) return;
  await recordOutcomes(database, partitions, outcomes);
  queue.due();
}

async function queueAgain(
  { database, queue }: DispatcherService,
  deliveries: readonly Delivery[],
): Promise<void> {
  for (const { workspaceId, id } of deliveries) await database.query(requeue, [workspaceId, id]);
  if (deliveries.length > 0) queue.due();
}
