import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { CallerSigner } from '../../proof/caller-signer.js';
import { SignerClocks } from '../../proof/signer-clocks.js';
import { openStatement } from '../../proof/statement.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const caller = {
  workspaceId: 'wksp_1',
  userId: 'usr_1',
  keyId: 'key_1',
  scopes: ['user' as const],
};

const hourMs = 3_600_000;
const publicKeys = [{ id: 'k1', key: publicKey }];
const token = { readOnly: true, operations: null };

/** A signer whose wall clock shows another time than its steady clock. */
function signerWithClock() {
  const moved = { ms: 0 };
  const wallClock = () => Date.now() + moved.ms;
  const signer = new CallerSigner({ id: 'k1', key: privateKey }, wallClock);
  const sign = () => openStatement(signer.sign(caller).text, publicKeys)!;
  return { moved, wallClock, signer, sign };
}

test('after a suspension of hours, statements and tokens are valid, and expire by the wall clock', (t) => {
  const { moved, wallClock, signer, sign } = signerWithClock();
  sign();
  moved.ms = 3 * hourMs;
  const now = wallClock();
  t.false(new SignerClocks().isExpired(sign(), now));
  t.true(signer.signToken({ ...caller, token }, 60, 0).expiresAt > now);
});

test('statements of a signer whose wall clock was set back for hours, or set forward and back, are valid', (t) => {
  for (const steps of [[-3], [3, 0], [3, -3]]) {
    const { moved, sign } = signerWithClock();
    sign();
    for (const hours of steps) {
      moved.ms = hours * hourMs;
      sign();
    }
    t.false(new SignerClocks().isExpired(sign(), Date.now()), steps.join());
    t.true(sign().issuedAt < Date.now() + hourMs, steps.join());
  }
});

test('after a suspension of its machine, a signer has another name, and signs nothing by the former one', (t) => {
  const { moved, signer } = signerWithClock();
  const names = () =>
    [signer.sign(caller).text, signer.signToken({ ...caller, token }, 60, 0).text].map(
      (text) => openStatement(text, publicKeys)!.signer,
    );
  const before = names();
  t.is(before[1], before[0]);
  t.deepEqual(names(), before);
  moved.ms = 5 * 60_000;
  const after = names();
  t.not(after[0], before[0]);
  t.is(after[1], after[0]);
  t.deepEqual(names(), after);
});

test('browser tokens that a key makes at once have different IDs, which are signed', (t) => {
  const { signer } = signerWithClock();
  const ids = [1, 2].map(() => {
    const { text } = signer.signToken({ ...caller, token }, 60, 0);
    return openStatement(text, publicKeys)!.caller.tokenId;
  });
  t.is(new Set(ids).size, 2);
  for (const id of ids) t.regex(id!, /^[\w-]{12}$/);
});
