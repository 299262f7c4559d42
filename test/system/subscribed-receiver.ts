import { eventKinds } from '@roster/contracts';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import type { Client } from './client.js';
import { startReceiver, type Received } from './receiver.js';

interface Secrets {
  token: string;
  signingSecret: string;
}

/** A receiver of the events of some kinds, and the token with which they are signed. */
export async function subscribed(
  t: ExecutionContext,
  client: Client,
  {
    events = eventKinds,
    ...more
  }: { events?: readonly string[]; token?: string; payload?: string } = {},
) {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { status, body } = await client.post<{ webhook: Secrets }>('/v1/webhooks', {
    url: receiver.url,
    events,
    ...more,
  });
  t.is(status, 201);
  return { received: receiver.received, ...body.webhook };
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
