import { certificatesFor, eventually } from '@roster/testing';
import test from 'ava';
import { connectBus, NatsTrouble } from '../../index.js';
import { natsFor, silent } from '../running-bus.js';
import { fakeServer } from './fake-server.js';

const options = { name: 'gateway', log: silent };

test('tls:// never sends credentials to a server without TLS, and names the reason', async (t) => {
  const fake = await fakeServer(t);
  const error = await t.throwsAsync(
    connectBus({ ...options, servers: `tls://ada:secret@${fake.host}` }),
    { instanceOf: NatsTrouble },
  );
  t.regex(error.message, /does not support TLS/);
  t.is(fake.connections(), 1);
  t.is(fake.received(), '');
});

test('a server without TLS never sees the password of another server of the list', async (t) => {
  const nats = await natsFor(t);
  const tls = await fakeServer(t);
  const plain = await fakeServer(t);
  await nats.allowOnly({ user: 'ada', password: 'right' });
  const servers = [
    `tls://ada:secret-of-tls@${tls.host}`,
    `nats://bob:own@${plain.host}`,
    nats.url.replace('//', '//ada:right@'),
  ].join(',');
  // The client tries them in any order.
  for (let attempt = 0; attempt < 20 && plain.connections() === 0; attempt += 1) {
    const bus = await connectBus({ ...options, servers });
    await bus.close();
  }
  t.true(plain.connections() > 0);
  t.regex(plain.received(), /"user":"bob","pass":"own"/);
  t.notRegex(plain.received(), /secret|right|ada/);
  t.is(tls.received(), '');
});

test('each server gets its own credentials, also when the client reconnects', async (t) => {
  const [first, second] = [await natsFor(t), await natsFor(t)];
  await first.allowOnly({ user: 'one', password: '1' });
  await second.allowOnly({ user: 'two', password: '2' });
  const servers = `${first.url.replace('//', '//one:1@')},${second.url.replace('//', '//two:2@')}`;
  const bus = await connectBus({ ...options, servers });
  t.teardown(() => bus.close());
  const { port } = new URL(`nats://${bus.link.nats.getServer()}`);
  const [used, other] = Number(port) === first.port ? [first, second] : [second, first];
  used.kill('SIGKILL');
  await eventually(() => bus.link.up && bus.link.nats.getServer().endsWith(`:${other.port}`));
  t.pass();
});

test('a server that another one announces gets no credentials if those of the list differ', async (t) => {
  const announced = await fakeServer(t);
  const greeting = { connect_urls: [announced.host] };
  const fakes = [await fakeServer(t, greeting), await fakeServer(t, greeting)];
  const servers = fakes.map(({ host }, index) => `nats://ada:secret${index}@${host}`).join(',');
  const bus = await connectBus({ ...options, servers });
  t.teardown(() => bus.close());
  // The client would try all servers that it knows in turn.
  await eventually(() => {
    if (bus.link.up) for (const fake of fakes) fake.disconnect();
    return fakes.every((fake) => fake.connections() > 2);
  });
  t.is(announced.connections(), 0);
});

test('tls:// accepts a server whose certificate is of the authority in caFile and names its address', async (t) => {
  const { ca, server, client } = await certificatesFor(t, 'IP:127.0.0.1');
  const nats = await natsFor(t);
  await nats.requireTls({ ...server, ca });
  const servers = nats.url.replace('nats://', 'tls://');
  const tls = { caFile: ca, certFile: client.cert, keyFile: client.key };
  const bus = await connectBus({ ...options, servers, tls });
  t.true(bus.link.up);
  await bus.close();
  await t.throwsAsync(connectBus({ ...options, servers }), { message: /untrusted certificate/ });
});

test('tls:// rejects a certificate of another name', async (t) => {
  const { ca, server, client } = await certificatesFor(t, 'DNS:localhost');
  const nats = await natsFor(t);
  await nats.requireTls({ ...server, ca });
  const tls = { caFile: ca, certFile: client.cert, keyFile: client.key };
  const servers = nats.url.replace('nats://', 'tls://');
  await t.throwsAsync(connectBus({ ...options, servers, tls }), {
    message: /untrusted certificate/,
  });
  const named = await connectBus({
    ...options,
    tls,
    servers: servers.replace('127.0.0.1', 'localhost'),
  });
  t.true(named.link.up);
  await named.close();
});

test('data that a server sends before TLS is refused', async (t) => {
  const fake = await fakeServer(t, { tls_required: true }, 'PONG\r\n');
  await t.throwsAsync(connectBus({ ...options, servers: `tls://ada:secret@${fake.host}` }), {
    message: /DATA_BEFORE_TLS/,
  });
  t.notRegex(fake.received(), /secret/);
});
