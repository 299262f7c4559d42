import test from 'ava';
import type { IncomingMessage } from 'node:http';
import { TrustedProxies } from '../../../http/connections/trusted-proxies.js';

const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.7/32', '2001:db8:ffff::/48']);

function addressOf(remoteAddress: string, headers: Record<string, string>): string {
  return proxies.addressOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

test('the headers of an address that is not a trusted proxy are ignored', (t) => {
  const headers = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1' };
  for (const remote of ['203.0.113.5', '192.0.2.8', '2001:db8::1', '::ffff:203.0.113.5'])
    t.is(addressOf(remote, headers), remote);
  t.is(
    new TrustedProxies([]).addressOf({
      socket: { remoteAddress: '10.0.0.1' },
      headers,
    } as unknown as IncomingMessage),
    '10.0.0.1',
  );
});

test('the client of a trusted proxy is the last address that is not a proxy: those before it are claimed', (t) => {
  const lists = [
    ['198.51.100.1', '198.51.100.1'],
    ['8.8.8.8, 198.51.100.1', '198.51.100.1'],
    ['8.8.8.8,198.51.100.1 , 10.1.2.3, 192.0.2.7', '198.51.100.1'],
    ['10.0.0.5, 198.51.100.1', '198.51.100.1'],
    // Only proxies: the first of them sent the request.
    ['10.0.0.5, 10.0.0.6', '10.0.0.5'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['8.8.8.8, 2001:db8:ffff::2', '8.8.8.8'],
  ] as const;
  for (const remote of ['10.0.0.1', '192.0.2.7', '::ffff:10.0.0.1', '2001:db8:ffff:1::1'])
    for (const [list, client] of lists)
      t.is(addressOf(remote, { 'x-forwarded-for': list }), client, list);
});

test('an unreadable address ends the search at the proxy that passed it on', (t) => {
  for (const last of ['unknown', 'example.com', '', 'fe80::1%eth0', '1.2.3', '127.1', '0x7f000001'])
    t.is(addressOf('10.0.0.1', { 'x-forwarded-for': `8.8.8.8, ${last}` }), '10.0.0.1', last);
  t.is(addressOf('10.0.0.1', { 'x-forwarded-for': '8.8.8.8, unknown, 10.0.0.2' }), '10.0.0.2');
});

test('reads the for parameters of Forwarded as in RFC 7239', (t) => {
  const headers = [
    ['for=198.51.100.1', '198.51.100.1'],
    ['For="198.51.100.1:80";proto=https;by=10.0.0.1', '198.51.100.1'],
    ['proto=https;for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=8.8.8.8, for=198.51.100.1;by=10.0.0.1, for=10.0.0.9', '198.51.100.1'],
    ['for="8.8.8.8, for=9.9.9.9", for=198.51.100.1', '198.51.100.1'],
    ['host="a;for=9.9.9.9";for=198.51.100.1', '198.51.100.1'],
    ['for=198.51.100.1;host="a,for=9.9.9.9"', '198.51.100.1'],
    ['for=198.51.100.1, for=_hidden', '10.0.0.1'],
    ['for=198.51.100.1, for=unknown', '10.0.0.1'],
    ['for=198.51.100.1, proto=https', '10.0.0.1'],
    ['for="198.51.100.1', '10.0.0.1'],
    ['', '10.0.0.1'],
  ] as const;
  for (const [forwarded, client] of headers)
    t.is(addressOf('10.0.0.1', { forwarded }), client, forwarded);
});

test('uses neither header if both are present and differ', (t) => {
  const forwarded = 'for=198.51.100.1';
  t.is(addressOf('10.0.0.1', { forwarded, 'x-forwarded-for': '198.51.100.1' }), '198.51.100.1');
  t.is(addressOf('10.0.0.1', { forwarded, 'x-forwarded-for': '198.51.100.2' }), '10.0.0.1');
});

test('refuses ranges that are not in CIDR notation', (t) => {
  for (const range of [
    '10.0.0.0/33',
    '10.0.0/8',
    'proxy.example',
    '10.0.0.1',
    '2001:db8::/129',
    '10.0.0.0/',
    '10.0.0.0/x',
  ])
    t.throws(() => new TrustedProxies([range]), { instanceOf: RangeError }, range);
});
