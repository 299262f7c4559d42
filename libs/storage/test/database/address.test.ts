import test from 'ava';
import { parseDatabaseUrl } from '../../database/address.js';

test('the time limit to connect to a server is 3 s, or connect_timeout', (t) => {
  const url = 'postgres://user:secret@a:1,b:2/roster';
  t.is(parseDatabaseUrl(url).connectMs, 3000);
  t.is(parseDatabaseUrl(`${url}?connect_timeout=0`).connectMs, 3000);
  const { connectMs, writable, hosts } = parseDatabaseUrl(
    `${url}?target_session_attrs=any&connect_timeout=20`,
  );
  t.is(connectMs, 20_000);
  t.false(writable);
  t.is(hosts.length, 2);
});
