import test from 'ava';
import { ReceiverConnections } from '../../attempt/receiver-connections.js';
import { TargetPolicy } from '@roster/process/targets';

const connectionsWith = (idlePerOriginMax: number, idleMax: number) =>
  new ReceiverConnections({
    policy: new TargetPolicy({ allow: [], deny: [], allowHttp: false }),
    resolve: () => Promise.reject(new Error('nothing is connected to here')),
    idlePerOriginMax,
    idleMax,
  });

test('the connection used last is reused first, and above a limit the one that was idle longest is closed', (t) => {
  const connections = connectionsWith(2, 3);
  const [a, b] = [new URL('https://a.example/'), new URL('https://b.example/')];
  const [a1, a2, a3, b1, b2] = [a, a, a, b, b].map((url) => connections.acquire(url));
  for (const connection of [a1!, a2!, a3!]) connections.giveBack(connection);
  t.false(a1!.open, 'at most two of one origin');
  connections.giveBack(b1!);
  connections.giveBack(b2!);
  t.false(a2!.open, 'at most three in total');
  t.is(connections.acquire(b), b2!);
  t.is(connections.acquire(a), a3!);
  t.false([a1, a2].includes(connections.acquire(a)));
  connections.close();
  t.false(b1!.open);
});

test('a connection that could not be opened does not count towards the limit of its address', async (t) => {
  let opened = 0;
  const connections = new ReceiverConnections({
    policy: new TargetPolicy({ allow: ['127.0.0.0/8'], deny: [], allowHttp: true }),
    resolve: async () => ({ addresses: ['127.0.0.1'], ttlSeconds: 0 }),
    openSocket: () => {
      opened += 1;
      throw new Error('no file descriptor is left');
    },
    perAddressMax: 1,
  });
  for (let n = 0; n < 2; n += 1) {
    const connection = connections.acquire(new URL('http://a.example/'));
    const exchange = connection.exchange({ path: '/', headers: {}, body: '' });
    await t.throwsAsync(exchange, { message: 'no file descriptor is left' });
    connections.drop(connection);
  }
  t.is(opened, 2);
});
