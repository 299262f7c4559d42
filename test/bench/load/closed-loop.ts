import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.js';
import { Tally, type Outcome } from './tally.js';
import type { LoadRequest, Span } from './load.js';

const responseTimeoutMs = 5000;

/** A fixed number of clients. Each sends its next request when the previous one is answered. */
export async function closedLoop(
  ports: readonly number[],
  clients: number,
  next: () => LoadRequest,
  span: Span,
): Promise<Outcome> {
  const tally = new Tally();
  const connections = await Promise.all(
    Array.from({ length: clients }, (_, n) => Connection.open(ports[n % ports.length]!)),
  );
  const from = performance.now() + span.warmSeconds * 1000;
  const until = from + span.seconds * 1000;
  let made = 0;
  const done = Promise.all(connections.map((connection) => sendRequests(connection)));
  await span.run(done);
  for (const connection of connections) connection.close();
  return tally.outcome(span.seconds, made);

  function sendRequests(connection: Connection): Promise<void> {
    return new Promise((resolve) => {
      const send = () => {
        const { text, status: expected } = next();
        made += 1;
        const sentAt = performance.now();
        connection.send(text, (response) => {
          const now = performance.now();
          if (now >= from && now < until)
            tally.answered(response?.status ?? 0, expected, now - sentAt);
          if (now < until && response) send();
          else resolve();
        });
      };
      send();
      void delay(span.totalMs + responseTimeoutMs, undefined, { ref: false }).then(resolve);
    });
  }
}
