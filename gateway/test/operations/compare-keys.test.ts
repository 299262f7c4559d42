import test from 'ava';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Lengths of what was compared. */
const compared: number[] = [];
const { timingSafeEqual } = crypto;
crypto.timingSafeEqual = (first, second) => {
  compared.push(first.byteLength, second.byteLength);
  return timingSafeEqual(first, second);
};
// Before the gateway is loaded, so that it imports the function above.
syncBuiltinESMExports();
const { testGateway, bearer } = await import('../test-gateway.js');

/**
 * Keys are found by the SHA-256 of what was sent, which an attacker cannot choose byte by byte, or, if it is verified, by what the
 * same connection sent before. What remains to be shown is that the whole digest or header is compared, by the function that takes
 * the same time for all of them.
 */
test('compares all of a key in constant time, whether it is verified or refused', async (t) => {
  const gateway = await testGateway();
  t.teardown(() => gateway.close());
  const statusWith = async (apiKey: string) =>
    (await fetch(`${gateway.url}/v1/contacts`, { headers: bearer(apiKey) })).status;
  const verified = gateway.stubs.makeKey();
  const unknown = gateway.stubs.makeKey();
  gateway.stubs.revoke(unknown);
  const digestBytes = 32;
  for (const [{ apiKey }, status] of [
    [verified, 200],
    [unknown, 401],
  ] as const) {
    t.is(await statusWith(apiKey), status);
    compared.length = 0;
    t.is(await statusWith(apiKey), status);
    t.true(compared.length > 0);
    const whole = [digestBytes, bearer(apiKey).authorization.length];
    t.true(compared.every((bytes) => whole.includes(bytes)));
  }
});
