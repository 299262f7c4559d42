import { eventually } from '@roster/testing';
import test from 'ava';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { gatewayFor, testGateway } from '../../test-gateway.js';
import { followEvents } from './follow-events.js';
import { PublishedEvents } from './published-events.js';
import { openWebSocket, transports } from './transports.js';

for (const [name, transport] of Object.entries(transports)) {
  test(`${name}: ends subscriptions with the reason when the gateway stops, without waiting for clients`, async (t) => {
    const gateway = await gatewayFor(t);
    const events = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    const received = followEvents(transport(t, gateway.url, key));
    await eventually(async () => {
      await events.publish(key.workspaceId, 'x');
      return received.names.length > 0;
    });
    await gateway.close();
    await eventually(() => received.codes.length > 0 || received.end);
    // A gateway that waited for its clients would only destroy their connections in the end.
    const closeCode = (received.end as { code?: number } | undefined)?.code;
    t.true(received.codes.includes('unavailable') || closeCode === 1001, String(received.end));
  });
}

test('rejects WebSocket upgrades with 503 while the gateway stops, and stops nevertheless', async (t) => {
  const gateway = await testGateway();
  // The gateway waits for its close frame, which it never sends.
  const silent = openWebSocket(t, gateway.url);
  await once(silent, 'open');
  silent.pause();
  const stopped = gateway.close();
  const late = openWebSocket(t, gateway.url).on('error', () => {});
  const [status] = await Promise.race([
    once(late, 'unexpected-response').then(([, response]) => [
      (response as IncomingMessage).statusCode,
    ]),
    once(late, 'open').then(() => ['opened']),
  ]);
  t.is(status, 503);
  await stopped;
});
