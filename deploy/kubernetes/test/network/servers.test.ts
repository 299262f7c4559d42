import test from 'ava';

import { addressesIn } from './servers.js';

test('reads every host of a URL, with the default port of its scheme', (t) => {
  t.deepEqual(addressesIn('postgres://roster:a,b@one:5433,two/roster?target_session_attrs=any'), [
    { host: 'one', port: 5433 },
    { host: 'two', port: 5432 },
  ]);
});

test('reads every URL of a list', (t) => {
  const addresses = [
    { host: 'nats-0', port: 4222 },
    { host: 'nats-1.roster', port: 4333 },
  ];
  t.deepEqual(addressesIn('nats://user:password@nats-0,nats://nats-1.roster:4333'), addresses);
  t.deepEqual(addressesIn('routes: [\n  nats://nats-0\n  nats://nats-1.roster:4333\n]'), addresses);
});

test('finds no server in a text without a URL', (t) => {
  t.deepEqual(addressesIn('port: 4222\nhttp_port: 8222'), []);
});
