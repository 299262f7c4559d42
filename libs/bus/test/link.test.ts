import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { eventually } from '@roster/testing';
import test from 'ava';
import { DebugEvents } from 'nats';
import { connectBus, NatsTrouble } from '../index.js';
import { fakeServer } from './connection/fake-server.js';
import { natsFor, silent } from './running-bus.js';

test('connects to any server of the list', async (t) => {
  const nats = await natsFor(t);
  const { host } = new URL(nats.url);
  for (const servers of [
    `nats://${await closed()},${nats.url}`,
    `${nats.url},nats://${await closed()}`,
  ]) {
    const bus = await connectBus({ servers, name: 'test', log: silent });
    t.is(bus.link.nats.getServer(), host);
    await bus.close();
  }
});

test('fails immediately if no server is reachable, and names the servers', async (t) => {
  const hosts = [await closed(), await closed()];
  const servers = hosts.map((host) => `nats://user:secret@${host}`).join(',');
  const error = await t.throwsAsync(connectBus({ servers, name: 'test', log: silent }), {
    instanceOf: NatsTrouble,
  });
  t.is(
    error.message,
    `NATS at ${hosts.join(', ')} refuses the connection (ECONNREFUSED): start it, or correct host and port.`,
  );
  t.like(error, { variable: 'NATS_URL', passing: true });
});

test('refuses a server that is too old, and states the version to update it to', async (t) => {
  const { host } = await fakeServer(t, { version: '2.10.29' });
  const servers = `nats://${host}`;
  const error = await t.throwsAsync(connectBus({ servers, name: 'test', log: silent }), {
    instanceOf: NatsTrouble,
  });
  t.is(error.message, `NATS at ${host} has the version 2.10.29: update it to 2.11 or later.`);
  t.like(error, { variable: 'NATS_URL', passing: false });
});

test('distinguishes a server that closes the connection from one that refuses it', async (t) => {
  const server = createServer((socket) => void socket.end()).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await t.throwsAsync(
    connectBus({ servers: `nats://${host}`, name: 'test', log: silent }),
    { instanceOf: NatsTrouble },
  );
  t.is(
    error.message,
    `NATS at ${host} closed the connection without a greeting: start it, or correct host and port.`,
  );
  t.like(error, { variable: 'NATS_URL', passing: true });
});

test('fails immediately if user or password are rejected, and shows neither', async (t) => {
  const nats = await natsFor(t);
  await nats.allowOnly({ user: 'ada', password: 'right' });
  const servers = nats.url.replace('//', '//ada:secret@');
  const error = await t.throwsAsync(connectBus({ servers, name: 'test', log: silent }), {
    instanceOf: NatsTrouble,
  });
  t.is(
    error.message,
    `NATS at ${new URL(nats.url).host} rejects the user name or password (AUTHORIZATION_VIOLATION): correct them.`,
  );
  t.like(error, { variable: 'NATS_URL', passing: false });
});

test('reconnects once temporarily rejected credentials are accepted again', async (t) => {
  const nats = await natsFor(t);
  await nats.allowOnly({ user: 'ada', password: 'right' });
  const errors: string[] = [];
  const bus = await connectBus({
    servers: nats.url.replace('//', '//ada:right@'),
    name: 'test',
    log: { ...silent, error: (_, message) => void errors.push(message) },
  });
  t.teardown(() => bus.close());
  let attempts = 0;
  void (async () => {
    for await (const { type } of bus.link.nats.status())
      if (type === DebugEvents.Reconnecting) attempts += 1;
  })();
  await nats.allowOnly({ user: 'ada', password: 'another' });
  await eventually(() => !bus.link.up);
  // By default the client gives up after two.
  await eventually(() => attempts > 5);
  t.true(errors.length <= 2, `logged once: ${errors.join()}`);
  await nats.allowOnly({ user: 'ada', password: 'right' });
  await eventually(() => bus.link.up);
});

test('logs as a warning that a busy server refused a connection, and other errors as errors', async (t) => {
  const server = await fakeServer(t, { auth_required: false });
  const logged: string[] = [];
  const note = (level: string) => (fields: object) =>
    void logged.push(`${level} ${String((fields as { err?: Error }).err?.message)}`);
  const log = { ...silent, warn: note('warn'), error: note('error') };
  const bus = await connectBus({ servers: `nats://${server.host}`, name: 'test', log });
  t.teardown(() => bus.close());
  server.send("-ERR 'Authentication Timeout'\r\n-ERR 'Slow Consumer'\r\n");
  await eventually(() => logged.length > 1);
  t.deepEqual(logged, ['warn "AUTHENTICATION_TIMEOUT"', 'error "NATS_PROTOCOL_ERR"']);
});

/** `host:port` without a listener. */
async function closed(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}
