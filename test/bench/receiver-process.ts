/** A receiver in a process of its own: a port for each webhook, answers at once, and remembers when what came. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Order, Report, Temper } from './receiver.js';

let arrivals: [contactId: string, atMs: number][] = [];
let accepted = 0;
let connections = 0;

const accept: RequestListener = (request, response) => {
  // On the clock that all processes of a machine share.
  const at = Number(process.hrtime.bigint()) / 1e6;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    accepted += 1;
    if (noting) arrivals.push([contactIn(Buffer.concat(chunks)), at]);
    response.end();
  });
};
const listeners: Record<Temper, RequestListener> = {
  accept,
  fail: (request, response) => void request.resume().on('end', () => response.writeHead(500).end()),
  hang: (request) => void request.resume(),
};
let noting = false;

/** The first id in an event's body is its contact's. */
function contactIn(body: Buffer): string {
  const at = body.indexOf('"cont_') + 1;
  return body.toString('latin1', at, at + 31);
}

process.on('message', (order: Order) => {
  if (order.type === 'listen') void listen(order.tempers);
  if (order.type === 'note') {
    noting = order.noting;
    report({ type: 'arrivals', arrivals });
    arrivals = [];
  }
});
process.on('disconnect', () => process.exit());
setInterval(() => report({ type: 'accepted', accepted, connections }), 20).unref();

async function listen(tempers: readonly Temper[]): Promise<void> {
  const ports = await Promise.all(
    tempers.map(
      (temper) =>
        new Promise<number>((resolve) => {
          const server = createServer({ keepAliveTimeout: 60_000 }, listeners[temper]);
          server.on('connection', () => (connections += 1));
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  report({ type: 'listening', ports });
}

function report(message: Report): void {
  process.send?.(message);
}
