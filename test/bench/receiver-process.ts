/** A receiver in a separate process: one port per webhook, immediate responses, and a record of the arrival times. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Order, Report, Behaviour } from './receiver.js';

let arrivals: [contactId: string, atMs: number][] = [];
let accepted = 0;
let connections = 0;

const answers: Record<Behaviour, Buffer | null> = {
  accept: Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  fail: Buffer.from('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n'),
  hang: null,
};
let noting = false;

/** Reads requests as bytes, to use little of the CPU time that it shares with the measured processes. */
const receive = (behaviour: Behaviour) => (socket: Socket) => {
  connections += 1;
  let pending: Buffer = Buffer.alloc(0);
  let begunAt: number | undefined;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    // On the clock shared by all processes of the machine.
    begunAt ??= Number(process.hrtime.bigint()) / 1e6;
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const end = endOfRequest(pending);
    if (end === undefined) return;
    if (behaviour === 'accept') {
      accepted += 1;
      if (noting) arrivals.push([contactIn(pending), begunAt]);
    }
    pending = pending.subarray(end);
    begunAt = undefined;
    const answer = answers[behaviour];
    if (answer) socket.write(answer);
  });
};

/** The end of the first request, once it is complete. Requests are not pipelined. */
function endOfRequest(bytes: Buffer): number | undefined {
  const head = bytes.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1] ?? '0';
  const end = head + 4 + Number(length);
  return bytes.length < end ? undefined : end;
}

/** The first ID in the body of an event is that of its contact. */
function contactIn(body: Buffer): string {
  const at = body.indexOf('"cont_') + 1;
  return body.toString('latin1', at, at + 31);
}

process.on('message', (order: Order) => {
  if (order.type === 'listen') void listen(order.behaviours);
  if (order.type === 'note') {
    noting = order.noting;
    report({ type: 'arrivals', arrivals });
    arrivals = [];
  }
});
process.on('disconnect', () => process.exit());
setInterval(() => report({ type: 'accepted', accepted, connections }), 20).unref();

async function listen(behaviours: readonly Behaviour[]): Promise<void> {
  const ports = await Promise.all(
    behaviours.map(
      (behaviour) =>
        new Promise<number>((resolve) => {
          const server = createServer({ noDelay: true }, receive(behaviour));
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  report({ type: 'listening', ports });
}

function report(message: Report): void {
  process.send?.(message);
}
