import test from 'ava';
import { networkOf } from '../../../http/connections/trusted-proxies.js';

test('an IPv4 address is a network of its own, mapped to IPv6 or not', (t) => {
  t.is(networkOf('203.0.113.7'), '203.0.113.7');
  t.is(networkOf('::ffff:203.0.113.7'), '203.0.113.7');
});

test('IPv6 addresses of one /64 are one network', (t) => {
  for (const address of ['2001:db8::1', '2001:db8::1:2:3:4', '2001:db8:0:0:1::'])
    t.is(networkOf(address), '2001:db8:0:0', address);
  t.is(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  t.is(networkOf('2001::1:2:3:4:5'), '2001:0:0:1');
  t.is(networkOf('::1'), '0:0:0:0');
});
