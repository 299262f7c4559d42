import { connect } from 'node:net';
import { TargetPolicy } from '@roster/process/targets';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connectChecked } from '../../attempt/connect.js';
import { serverPorts } from '../../lanes.js';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';
import { dressedUp, hostile } from './hostile-targets.js';

const strict = new TargetPolicy({ allow: [], deny: ['203.0.114.0/24'], allowHttp: false });

/** Fails the test if a socket is opened. */
const trap = (() => {
  throw new Error('a connection was opened');
}) as unknown as typeof connect;
const never = new AbortController().signal;

for (const host of hostile) {
  test(`refuses https://${host}/ before a byte is sent`, async (t) => {
    const url = new URL(`https://${host}/`);
    const resolve = () => Promise.reject(new Error('an address needs no resolving'));
    const error = await t.throwsAsync(
      connectChecked(url, { policy: strict, resolve, openSocket: trap }, never),
    );
    t.like(error, { errorClass: 'refused' });
    t.regex(error.message, /The target address is not allowed: .+/);
  });
}

test('rejects a host name without an allowed address, and connects to the public one of several addresses', async (t) => {
  const opened: string[] = [];
  const openSocket = ((options: { host: string }) => {
    opened.push(options.host);
    throw new Error('trap');
  }) as unknown as typeof connect;
  const to = (addresses: string[]) =>
    connectChecked(
      new URL('https://hooks.example/'),
      { policy: strict, resolve: async () => ({ addresses, ttlSeconds: 0 }), openSocket },
      never,
    );
  await t.throwsAsync(to(['10.0.0.1', '::1']), { message: /10\.0\.0\.1 is private/ });
  await t.throwsAsync(to([]), { message: /no address/ });
  t.deepEqual(opened, []);
  await t.throwsAsync(to(['192.168.1.1', '93.184.215.14']), { message: 'trap' });
  t.deepEqual(opened, ['93.184.215.14']);
});

test('connects to the address that was checked, even if DNS changes its answer after the check', async (t) => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  let lookups = 0;
  const opened: string[] = [];
  const options = {
    policy: strict,
    resolve: async () => ({ addresses: answers[Math.min(lookups++, 1)]!, ttlSeconds: 0 }),
    openSocket: ((socket: { host: string }) => {
      opened.push(socket.host);
      throw new Error('trap');
    }) as unknown as typeof connect,
  };
  const url = new URL('https://rebinding.example/');
  await t.throwsAsync(connectChecked(url, options, never), { message: 'trap' });
  t.is(lookups, 1);
  await t.throwsAsync(connectChecked(url, options, never), { message: /not allowed/ });
  t.deepEqual(opened, ['93.184.215.14']);
});

test('refuses plain HTTP, other schemes and credentials unless configured', (t) => {
  t.regex(strict.refuseUrl(new URL('http://example.com/'))!, /HTTP/);
  t.regex(strict.refuseUrl(new URL('ftp://example.com/'))!, /ftp/);
  t.regex(strict.refuseUrl(new URL('https://user:secret@example.com/'))!, /credentials/);
  t.notRegex(strict.refuseUrl(new URL('https://user:secret@example.com/'))!, /secret/);
  const plain = new TargetPolicy({ allow: [], deny: [], allowHttp: true });
  t.is(plain.refuseUrl(new URL('http://example.com/')), undefined);
  t.regex(plain.refuseUrl(new URL('http://user:secret@example.com/'))!, /credentials/);
  t.is(strict.refuseUrl(new URL('https://example.com:8443/')), undefined);
});

test('allows public addresses, and other addresses only if they are on the allow list', (t) => {
  for (const address of [
    '93.184.215.14',
    '8.8.8.8',
    '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
    '64:ff9b::8.8.8.8',
  ]) {
    t.is(strict.refuseAddress(address, 443), undefined, address);
  }
  const local = new TargetPolicy({
    allow: ['127.0.0.0/8'],
    deny: ['127.0.0.2/32'],
    allowHttp: true,
  });
  t.is(local.refuseAddress('127.0.0.1', 443), undefined);
  t.is(local.refuseAddress('::ffff:127.0.0.1', 443), undefined);
  t.regex(local.refuseAddress('127.0.0.2', 443)!, /deny/);
  t.regex(local.refuseAddress('10.0.0.1', 443)!, /private/);
  t.regex(local.refuseAddress('::1', 443)!, /loopback/);
});

test('this machine is allowed only by a range of loopback addresses', (t) => {
  const broad = new TargetPolicy({ allow: ['0.0.0.0/0', '::/0'], deny: [], allowHttp: true });
  t.is(broad.refuseAddress('10.0.0.1', 443), undefined);
  t.is(broad.refuseAddress('fd00::1', 443), undefined);
  const loopback = ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'];
  for (const address of [...loopback, '0.0.0.0', '::', '::ffff:0.0.0.0'])
    t.regex(broad.refuseAddress(address, 443)!, /loopback|unspecified/, address);
  const named = new TargetPolicy({ allow: ['127.0.0.1/32', '::1/128'], deny: [], allowHttp: true });
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    t.is(named.refuseAddress(address, 443), undefined, address);
  t.regex(named.refuseAddress('127.0.0.2', 443)!, /loopback/);
});

test('allows the ports 80, 443, those from 1024 and the configured ones', (t) => {
  const refused = (policy: TargetPolicy) =>
    [22, 25, 53, 80, 443, 444, 587, 1023, 1024, 8443, 65_535].filter(
      (port) => policy.refuseUrl(new URL(`https://example.com:${port}/`)) !== undefined,
    );
  t.deepEqual(refused(strict), [22, 25, 53, 444, 587, 1023]);
  const further = new TargetPolicy({ allow: [], deny: [], allowHttp: true, allowPorts: [444] });
  t.deepEqual(refused(further), [22, 25, 53, 587, 1023]);
  t.is(further.refuseUrl(new URL('http://example.com/')), undefined);
});

test('rejects the ports of PostgreSQL, NATS and DNS on addresses of the allow list', (t) => {
  const closedPorts = serverPorts({
    DATABASE_URL: 'postgres://roster@one.example,two.example:6432/roster',
    NATS_URL: 'nats://one.example:4223,two.example',
  });
  const policy = new TargetPolicy({
    allow: ['10.0.0.0/8'],
    deny: [],
    allowHttp: true,
    closedPorts,
  });
  for (const port of [53, 4222, 4223, 5432, 6432])
    t.regex(policy.refuseAddress('10.0.0.1', port)!, /a server of this system/, String(port));
  t.regex(policy.refuseAddress('::ffff:10.0.0.1', 4222)!, /a server of this system/);
  t.is(policy.refuseAddress('10.0.0.1', 80), undefined);
  t.is(policy.refuseAddress('8.8.8.8', 5432), undefined);
});

test('rejects a webhook with the port of PostgreSQL or NATS on an address of the allow list', async (t) => {
  const [postgres, nats] = [await receiverFor(t), await receiverFor(t)];
  const running = await runDispatcher(t, {
    DATABASE_URL: `postgres://user:password@127.0.0.1:${postgres.port}/roster`,
    NATS_URL: `nats://127.0.0.1:${nats.port}`,
    RETRY_SCHEDULE_SECONDS: '3600',
  });
  const webhooks = [postgres, nats].map(({ url }) => running.addWebhook(url));
  const { id } = await running.publish();
  for (const webhook of webhooks) {
    const row = await eventually(() => running.delivery(id, webhook));
    t.like(row.attempts[0], { errorClass: 'refused', address: null, statusCode: null });
  }
  t.is(postgres.connections() + nats.connections(), 0);
});

test('rejects loopback in any notation unless allowed: the delivery shows the reason, and the receiver gets no request', async (t) => {
  const running = await runDispatcher(t, { ALLOW_TARGETS: '', RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = await receiverFor(t);
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    'localhost',
    '[::ffff:127.0.0.1]',
    '[::1]',
    '0.0.0.0',
  ];
  const webhooks = hosts.map((host) => running.addWebhook(`http://${host}:${receiver.port}/`));
  const { id } = await running.publish();
  for (const webhook of webhooks) {
    const row = await eventually(() => running.delivery(id, webhook));
    t.like(row.attempts[0], { errorClass: 'refused', address: null, statusCode: null });
    t.regex(row.attempts[0]!['error'] as string, /The target address is not allowed/);
  }
  t.is(receiver.connections(), 0);
});

for (const target of dressedUp) {
  test(`refuses ${target} in any notation`, async (t) => {
    const resolve = () => Promise.reject(new Error('an address needs no resolving'));
    const connecting = connectChecked(
      new URL(target),
      { policy: strict, resolve, openSocket: trap },
      never,
    );
    t.like(await t.throwsAsync(connecting), { errorClass: 'refused' });
  });
}
