import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { TargetPolicy } from '@roster/process/targets';
import test from 'ava';
import { AddressBusy } from '../../attempt/attempt-error.js';
import { attempt } from '../../attempt/attempt.js';
import {
  ReceiverConnections,
  type ReceiverConnectionsOptions,
} from '../../attempt/receiver-connections.js';
import { raceAddresses } from '../../attempt/race-addresses.js';
import { receiverFor } from '../receiver.js';

const never = new AbortController().signal;

/** Attempts to one host with these addresses. */
const attemptsTo = (addresses: string[], options: Partial<ReceiverConnectionsOptions> = {}) => {
  const connections = new ReceiverConnections({
    policy: new TargetPolicy({ allow: ['127.0.0.0/8', '::1/128'], deny: [], allowHttp: true }),
    resolve: async () => ({ addresses, ttlSeconds: 0 }),
    ...options,
  });
  const post = (url: string) =>
    attempt(connections, {
      url: new URL(url),
      headers: {},
      body: '{}',
      trigger: 'event',
      timeoutMs: 15_000,
    });
  return { connections, post };
};

const failsWith = (code: string) => Object.assign(new Error(code), { code });

test('delivers to the second address of a host whose first one is silent, and stops connecting to the first', async (t) => {
  const receiver = await receiverFor(t);
  const silent: Socket[] = [];
  const openSocket = ((target: { host: string; port: number }) => {
    if (target.host !== '127.0.0.2') return connect(target);
    silent.push(new Socket());
    return silent.at(-1)!;
  }) as typeof connect;
  const { connections, post } = attemptsTo(['127.0.0.2', '127.0.0.1'], {
    openSocket,
    perAddressMax: 2,
  });
  t.teardown(() => connections.close());
  const url = `http://two.example:${receiver.port}/`;
  for (let n = 0; n < 3; n += 1) {
    t.like(await post(url), { error: null, statusCode: 200, address: '127.0.0.1' });
    connections.close();
  }
  // The limit is two: a third one is opened only if the others do not count any more.
  t.deepEqual(
    silent.map(({ destroyed }) => destroyed),
    [true, true, true],
  );
});

test.serial(
  'does not connect to a second address while the first one answers in time',
  async (t) => {
    // No time passes for the timers, so that a stall of the machine opens no second connection.
    mock.timers.enable({ apis: ['setTimeout'] });
    t.teardown(() => mock.timers.reset());
    const receiver = await receiverFor(t);
    const opened: string[] = [];
    const openSocket = ((target: { host: string; port: number }) => {
      opened.push(target.host);
      return connect(target);
    }) as typeof connect;
    const { connections, post } = attemptsTo(['127.0.0.1', '::1'], { openSocket });
    t.teardown(() => connections.close());
    t.is((await post(`http://two.example:${receiver.port}/`)).error, null);
    t.deepEqual(opened, ['127.0.0.1']);
  },
);

test('tries the next address if one accepts the connection and does not complete the TLS handshake', async (t) => {
  const socket = new Socket();
  const signals: AbortSignal[] = [];
  const won = await raceAddresses(
    ['10.0.0.1', '10.0.0.2'],
    (address, signal, onAccepted) => {
      signals.push(signal);
      onAccepted();
      return address === '10.0.0.2' ? Promise.resolve({ socket }) : new Promise<never>(() => {});
    },
    never,
  );
  t.is(won.socket, socket);
  t.true(signals[0]!.aborted);
});

test('tries eight addresses of a host at most, those of both families in turn', async (t) => {
  const four = Array.from({ length: 20 }, (_, n) => `10.0.0.${n}`);
  const six = ['fd00::1', 'fd00::2'];
  const tried: string[] = [];
  const open = (address: string) => {
    tried.push(address);
    return Promise.reject(failsWith('ECONNREFUSED'));
  };
  await t.throwsAsync(raceAddresses([...four, ...six], open, never), { code: 'ECONNREFUSED' });
  const [a, b, ...others] = four;
  t.deepEqual(tried, [a!, six[0]!, b!, six[1]!, ...others.slice(0, 4)]);
});

test('reports the failure of the address that got furthest, whatever the order', async (t) => {
  const failing = (errors: Error[], accepting?: Error) =>
    raceAddresses(
      errors.map((_, n) => `10.0.0.${n}`),
      (address, _, onAccepted) => {
        const error = errors[Number(address.at(-1))]!;
        if (error === accepting) onAccepted();
        return Promise.reject(error);
      },
      never,
    );
  const [expired, refused, unreachable] = [
    failsWith('CERT_HAS_EXPIRED'),
    failsWith('ECONNREFUSED'),
    failsWith('ENETUNREACH'),
  ] as const;
  const busy = new AddressBusy('10.0.0.1');
  t.is(await t.throwsAsync(failing([unreachable, refused])), refused);
  t.is(await t.throwsAsync(failing([refused, unreachable])), refused);
  t.is(await t.throwsAsync(failing([expired, refused], expired)), expired);
  t.is(await t.throwsAsync(failing([unreachable, refused, expired], expired)), expired);
  t.is(await t.throwsAsync(failing([expired, busy], expired)), busy);
});

test('reports the TLS error of one address although another one refuses the connection', async (t) => {
  const plain = createServer((socket) => void socket.on('error', () => undefined).end('not TLS'));
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  t.teardown(() => plain.close());
  const { port } = plain.address() as AddressInfo;
  const { post } = attemptsTo(['127.0.0.1', '127.0.0.2', '::1']);
  t.like(await post(`https://three.example:${port}/`), { errorClass: 'tls', statusCode: null });
});

test('ends the attempts to all addresses at the deadline, with its reason', async (t) => {
  const deadline = new AbortController();
  const reason = new Error('the deadline');
  let opened = 0;
  const racing = raceAddresses(
    ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
    (_, signal) =>
      new Promise<never>((_resolve, reject) => {
        opened += 1;
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        if (opened === 2) deadline.abort(reason);
      }),
    deadline.signal,
  );
  t.is(await t.throwsAsync(racing), reason);
  t.is(opened, 2);
  t.is(await t.throwsAsync(raceAddresses(['10.0.0.1'], () => t.fail(), deadline.signal)), reason);
});
