import { connect } from 'node:net';
import { eventually } from '@roster/testing';
import test from 'ava';
import { connectChecked } from '../connect.js';
import { TargetPolicy } from '../target-policy.js';
import { receiverFor, runDispatcher } from './running-dispatcher.js';

const strict = new TargetPolicy({ allow: [], deny: ['203.0.114.0/24'], allowHttp: false });

/** Hosts as hostile webhooks name them. Every one is refused; none is connected to, for the connector is a trap. */
const hostile = [
  // loopback, in every form that the URL parser takes
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.255.255.254',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  // this host, private, shared, link-local
  '0.0.0.0',
  '0',
  '[::]',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '100.64.0.1',
  '169.254.1.1',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fec0::1]',
  // cloud metadata
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  // multicast, broadcast, reserved, documentation, benchmark
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '192.88.99.1',
  '192.0.0.1',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  '[2001:2::1]',
  // IPv4 within IPv6: NAT64, 6to4, Teredo, ISATAP
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::10.0.0.1]',
  // … which leads to 169.254.169.254 where the prefix ends after 48 bits, whatever its end says
  '[64:ff9b:1:a9fe:a9:fe00:808:808]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[2a00:1450::5efe:10.0.0.1]',
  // the configured deny list
  '203.0.114.7',
  '[::ffff:203.0.114.7]',
];

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
    t.regex(error.message, /The target is refused: .+/);
  });
}

test('refuses a name whose addresses are all refused, and takes the public one of several', async (t) => {
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
  await t.throwsAsync(to(['10.0.0.1', '::1']), { message: /10\.0\.0\.1 is not public: private/ });
  await t.throwsAsync(to([]), { message: /no address/ });
  t.deepEqual(opened, []);
  await t.throwsAsync(to(['192.168.1.1', '93.184.215.14']), { message: 'trap' });
  t.deepEqual(opened, ['93.184.215.14']);
});

test('DNS that changes its answer after the check changes nothing: the checked address is the one connected to', async (t) => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  let asked = 0;
  const opened: string[] = [];
  const options = {
    policy: strict,
    resolve: async () => ({ addresses: answers[Math.min(asked++, 1)]!, ttlSeconds: 0 }),
    openSocket: ((socket: { host: string }) => {
      opened.push(socket.host);
      throw new Error('trap');
    }) as unknown as typeof connect,
  };
  const url = new URL('https://rebinding.example/');
  await t.throwsAsync(connectChecked(url, options, never), { message: 'trap' });
  t.is(asked, 1);
  await t.throwsAsync(connectChecked(url, options, never), { message: /refused/ });
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

test('lets public addresses through, and the allow list opens no more than it says', (t) => {
  for (const address of [
    '93.184.215.14',
    '8.8.8.8',
    '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
    '64:ff9b::8.8.8.8',
  ]) {
    t.is(strict.refuseAddress(address), undefined, address);
  }
  const local = new TargetPolicy({
    allow: ['127.0.0.0/8'],
    deny: ['127.0.0.2/32'],
    allowHttp: true,
  });
  t.is(local.refuseAddress('127.0.0.1'), undefined);
  t.is(local.refuseAddress('::ffff:127.0.0.1'), undefined);
  t.regex(local.refuseAddress('127.0.0.2')!, /deny/);
  t.regex(local.refuseAddress('10.0.0.1')!, /private/);
  t.regex(local.refuseAddress('::1')!, /loopback/);
});

test('forms of loopback are refused for real when nothing opens them: the delivery says why, the receiver hears nothing', async (t) => {
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
    t.regex(row.attempts[0]!['error'] as string, /The target is refused/);
  }
  t.is(receiver.connections(), 0);
});

/** Whole URLs that say one thing to people and another to machines. */
const dressedUp = [
  'https://example.com@127.0.0.1/',
  'https://example.com:443@10.0.0.1/',
  'https://127.0.0.1:443/',
  'https://127.0.0.1:65535/',
  'https://127.0.0.1./',
  'https://１２７.０.０.１/',
  'https://127。0。0。1/',
  'https://0177.0000.0000.0001/',
  'https://[::ffff:7f00:0001]:8443/',
  'https://%31%32%37.0.0.1/',
  'https:127.0.0.1',
  'https:///127.0.0.1/',
];

for (const target of dressedUp) {
  test(`refuses ${target}, however it is dressed up`, async (t) => {
    const resolve = () => Promise.reject(new Error('an address needs no resolving'));
    const connecting = connectChecked(
      new URL(target),
      { policy: strict, resolve, openSocket: trap },
      never,
    );
    t.like(await t.throwsAsync(connecting), { errorClass: 'refused' });
  });
}
