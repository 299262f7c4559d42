import type { CreateWebhookInput, Roster } from '@roster/client';
import { eventKinds } from '@roster/contracts';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { startReceiver, type Received } from './receiver.js';

/** A receiver of the events of some kinds, and the token with which they are signed. */
export async function subscribed(
  t: ExecutionContext,
  client: Roster,
  { events = [...eventKinds], ...more }: Partial<CreateWebhookInput> = {},
) {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { token, signingSecret } = await client.webhooks.create({
    url: receiver.url,
    events,
    ...more,
  });
  return { received: receiver.received, token, signingSecret };
}

/** Waits for as many events as are expected, and compares them: none is missing or duplicated. */
export async function expectEvents(
  t: ExecutionContext,
  received: Received[],
  expected: string[],
): Promise<void> {
  await eventually(() => received.length >= expected.length, {
    timeoutMs: 60_000,
    describe: `${expected.length} deliveries`,
  });
  t.deepEqual(received.map(lineOf).toSorted(), expected.toSorted());
}

/** One line per event, for comparison. */
const lineOf = ({ body: { event, data } }: Received) =>
  `${event} ${(data.contact ?? data.user)!.id} ${(data.contact ?? data.user)!.name}`;
