import test from 'ava';
import { ClientPace } from '../../http/body/read-long-body.js';

test('a client may be slow for a while, not as a whole', (t) => {
  const pace = new ClientPace({ waitingMs: 30_000, bytesPerSecondMin: 1000 });
  for (let part = 0; part < 100; part += 1) t.false(pace.isTooSlow(1000, 1000));
  for (let part = 0; part < 3; part += 1) t.false(pace.isTooSlow(1000, 11_000));
  t.true(pace.isTooSlow(1000, 1001));
});
