import test from 'ava';
import { isAmbiguous, parseServers } from '../../index.js';

const plain = { hostname: 'a', port: 4222, isSecure: false };

test('each server of a list keeps its own user, and that of the first applies to those without', (t) => {
  t.deepEqual(parseServers('nats://u:p%40@a, tls://v:q@[::1]:4333,nats://B'), [
    { ...plain, user: 'u', password: 'p@' },
    { hostname: '::1', port: 4333, isSecure: true, user: 'v', password: 'q' },
    { ...plain, hostname: 'b', user: 'u', password: 'p@' },
  ]);
});

test('the password of a tls:// server does not apply to a server without TLS', (t) => {
  t.deepEqual(parseServers('tls://u:p@b,nats://a'), [
    { hostname: 'b', port: 4222, isSecure: true, user: 'u', password: 'p' },
    plain,
  ]);
});

test('a list that names a server twice with different credentials is ambiguous', (t) => {
  for (const [list, expected] of [
    ['nats://u:p@a,nats://u:q@a:4222', true],
    ['nats://u:p@a,tls://u:p@a', true],
    ['nats://u:p@a,nats://u:p@a', false],
    ['nats://u:p@a,nats://u:q@a:4223', false],
  ] as const)
    t.is(isAmbiguous(parseServers(list)!), expected, list);
});

test('a list with an invalid URL has no servers', (t) => {
  for (const list of ['', 'a:4222', 'http://a', 'nats://a,', 'nats://a:high'])
    t.is(parseServers(list), undefined, list);
});
