import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '@roster/embedded';
import { throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { spawnProbe } from './probe-process.js';

test('waits for NATS: alive, not ready, logging it once; is ready soon after NATS has started', async (t) => {
  const { nats, postgres } = await servers(t);
  nats.kill('SIGKILL');
  await nats.exited;
  const probe = spawnProbe(t, { NATS_URL: nats.url, DATABASE_URL: postgres.url });
  const reason = await probe.waits();
  t.is(
    reason,
    `NATS_URL: NATS at ${new URL(nats.url).host} refuses the connection (ECONNREFUSED): start it, or correct host and port.`,
  );
  t.deepEqual(await probe.get('/healthz'), { status: 200, body: { status: 'ok' } });
  t.deepEqual(await probe.get('/readyz'), {
    status: 503,
    body: { status: 'starting', checks: {}, waitingFor: reason },
  });
  await nats.restart();
  await probe.ready();
  t.deepEqual(probe.reasons(), [reason]);
  t.deepEqual((await probe.get('/readyz')).body, {
    status: 'ok',
    checks: { nats: true, 'nats-permissions': true, postgres: true },
  });
});

test('waits for PostgreSQL, and continues when it has started', async (t) => {
  const { nats, postgres } = await servers(t);
  const closed = await freePort();
  const away = new URL(postgres.url);
  away.port = String(closed);
  const probe = spawnProbe(t, { NATS_URL: nats.url, DATABASE_URL: away.href });
  t.is(
    await probe.waits(),
    `DATABASE_URL: PostgreSQL at 127.0.0.1:${closed} refuses the connection (ECONNREFUSED): start it, or correct host and port.`,
  );
  t.is((await probe.get('/readyz')).status, 503);
  forward(t, closed, Number(new URL(postgres.url).port));
  await probe.ready();
});

test('distinguishes a PostgreSQL server that does not answer from one that closes the connection', async (t) => {
  const { nats } = await servers(t);
  const sockets = new Set<Socket>();
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  for (const [take, problem] of [
    [(socket: Socket) => void sockets.add(socket), 'does not answer'],
    [(socket: Socket) => void socket.end(), 'closed the connection'],
  ] as const) {
    const server = createServer(take).listen(0, '127.0.0.1');
    t.teardown(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const probe = spawnProbe(t, {
      NATS_URL: nats.url,
      DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c?connect_timeout=1`,
    });
    t.is(
      await probe.waits(),
      `DATABASE_URL: PostgreSQL at 127.0.0.1:${port} ${problem}: start it, or correct host and port.`,
    );
  }
});

test('SIGTERM while waiting ends the process immediately with 0', async (t) => {
  const probe = spawnProbe(t, {
    NATS_URL: `nats://127.0.0.1:${await freePort()}`,
    DATABASE_URL: 'postgres://x/x',
    // It was never ready, so the drain delay does not apply.
    DRAIN_DELAY_MS: '60000',
  });
  await probe.waits();
  probe.kill('SIGTERM');
  t.is(await probe.exit, 0);
  t.false(probe.output().includes('could not start'));
});

async function servers(t: ExecutionContext) {
  const [nats, postgres] = await Promise.all([throwawayNats(), throwawayDatabase()]);
  t.teardown(() => Promise.all([nats.stop(), postgres.drop()]));
  return { nats, postgres };
}

/** Listens on a port from now on, and forwards connections to another. */
function forward(t: ExecutionContext, from: number, to: number): void {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = new (socket.constructor as new () => Socket)().connect(to, '127.0.0.1');
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => {});
    }
    socket.pipe(onward).pipe(socket);
  }).listen(from, '127.0.0.1');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}
