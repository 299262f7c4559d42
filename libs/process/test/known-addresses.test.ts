import test from 'ava';
import { literalAddress } from '../targets.js';

test('distinguishes an address from a name', (t) => {
  t.is(literalAddress(new URL('http://0x7f.1/').hostname), '127.0.0.1');
  t.is(literalAddress(new URL('http://[::ffff:127.0.0.1]/').hostname), '::ffff:7f00:1');
  t.is(literalAddress('example.com'), undefined);
});
