import test from 'ava';
import { SignerClocks } from '../../proof/signer-clocks.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A statement of a signer whose clock is `aheadMs` ahead, issued at `at`, valid for three minutes. */
const issued = (at: number, { aheadMs = 0, signer = 'one' } = {}) => ({
  caller: { workspaceId: '', userId: '', keyId: '', scopes: [] },
  signer,
  issuedAt: at + aheadMs,
  expiresAt: at + aheadMs + 3 * minuteMs,
});

for (const aheadMs of [0, hourMs, -hourMs]) {
  const clock = `a signer whose clock differs by ${aheadMs / hourMs} hours`;

  test(`a statement of ${clock} is valid until it expires by that clock, and not longer`, (t) => {
    const clocks = new SignerClocks();
    const statement = issued(0, { aheadMs });
    t.false(clocks.isExpired(statement, 0));
    t.false(clocks.isExpired(statement, 3 * minuteMs - 1));
    // The signer's clock may run 0.1 % slower.
    t.true(clocks.isExpired(statement, 3 * minuteMs * 1.0011));
  });

  test(`a statement of ${clock} is never expired by a newer one before its time`, (t) => {
    const clocks = new SignerClocks();
    const older = issued(0, { aheadMs });
    for (let now = 0; now < 3 * minuteMs; now += 1000) {
      t.false(clocks.isExpired(issued(now, { aheadMs }), now));
      t.false(clocks.isExpired(older, now));
    }
  });

  test(`a replayed statement of ${clock} is refused once a newer one was seen`, (t) => {
    const clocks = new SignerClocks();
    t.false(clocks.isExpired(issued(10 * minuteMs, { aheadMs }), 10 * minuteMs));
    t.true(clocks.isExpired(issued(0, { aheadMs }), 10 * minuteMs));
  });
}

test('statements that were delayed in transit do not make later ones expire early', (t) => {
  const clocks = new SignerClocks();
  t.false(clocks.isExpired(issued(0), minuteMs));
  t.false(clocks.isExpired(issued(minuteMs), minuteMs));
  t.false(clocks.isExpired(issued(minuteMs), 4 * minuteMs - 1));
});

test('statements of a signer whose clock runs slower stay valid for months', (t) => {
  const clocks = new SignerClocks();
  const dayMs = 24 * hourMs;
  for (let now = 0; now < 100 * dayMs; now += dayMs)
    t.false(clocks.isExpired(issued(now * 0.9999), now), `day ${now / dayMs}`);
});

test('each signer has a clock of its own', (t) => {
  const clocks = new SignerClocks();
  t.false(clocks.isExpired(issued(0, { aheadMs: hourMs, signer: 'ahead' }), 0));
  t.false(clocks.isExpired(issued(0), 0));
});

test('a process that has seen no other statement refuses one that is older than clocks may differ', (t) => {
  t.true(new SignerClocks().isExpired(issued(0), 2 * hourMs));
  t.false(new SignerClocks().isExpired(issued(0), hourMs));
});

for (const aheadMs of [0, hourMs, -hourMs]) {
  const clock = `the clock of a database that differs by ${aheadMs / hourMs} hours`;
  /** A browser token of three minutes. */
  const token = (at: number) => ({ ...issued(at), databaseMs: at + aheadMs });

  test(`a token of an unseen signer is refused from its expiry by ${clock}, and not before`, (t) => {
    const clocks = new SignerClocks();
    clocks.databaseShowed(10 * minuteMs + aheadMs, 10 * minuteMs);
    t.false(clocks.isExpired(token(7 * minuteMs + 1), 10 * minuteMs));
    t.true(clocks.isExpired({ ...token(7 * minuteMs), signer: 'other' }, 10 * minuteMs));
    t.true(clocks.isExpired(token(7 * minuteMs + 1), 10 * minuteMs + 2));
  });
}

test('a database whose clock was ahead, and was set right, is believed again', (t) => {
  const clocks = new SignerClocks();
  const token = { ...issued(0), databaseMs: 0 };
  clocks.databaseShowed(hourMs, 0);
  t.true(clocks.isExpired(token, 0));
  clocks.databaseShowed(1000, 1000);
  t.false(clocks.isExpired(token, 1000));
});

test('the clock of the database does not concern statements without its time', (t) => {
  const clocks = new SignerClocks();
  clocks.databaseShowed(hourMs, 0);
  t.false(clocks.isExpired(issued(0), 0));
});
