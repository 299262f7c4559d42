import { systemCaller, type Caller } from '@roster/contracts';
import test from 'ava';
import { decodeRequest, encodeCall, encodeRequest } from '../../calls/frame/request-frame.js';
import { steadyNow } from '../../index.js';

const call = { requestId: 'r', deadline: steadyNow() + 5000, input: {} };
const encoded = encodeRequest([{ caller: systemCaller, encoded: encodeCall(call) }], true);
const hourMs = 3_600_000;

test('deadlines are converted to the clock of the reader', (t) => {
  const sentAt: number[] = [];
  const aheadOf = (at: number) => {
    sentAt.push(at);
    return hourMs;
  };
  t.is(decodeRequest(Buffer.from(encoded), aheadOf).calls[0]!.deadline, call.deadline + hourMs);
  t.is(sentAt.length, 1);
  t.true(Math.abs(sentAt[0]! - steadyNow()) < hourMs);
});

test('reads a batch of the previous release, which does not say when it was sent', (t) => {
  const former = encoded.replace(/"at":\d+,/, '');
  t.not(former, encoded);
  t.is(decodeRequest(Buffer.from(former), () => hourMs).calls[0]!.deadline, call.deadline);
});

test('reads no more callers than a batch has, and gives the calls of others no claims', (t) => {
  const calls = Array.from({ length: 300 }, (_, n) => ({
    caller: { ...systemCaller, keyId: `${n}` },
    encoded: encodeCall(call),
  }));
  const read: unknown[] = [];
  const callerOf = (claims: unknown) => {
    if (claims !== undefined) read.push(claims);
    return (claims ?? systemCaller) as Caller;
  };
  const decoded = decodeRequest(Buffer.from(encodeRequest(calls, true)), () => 0, callerOf);
  t.deepEqual(
    decoded.calls.map(({ caller }) => caller.keyId),
    Array.from({ length: 300 }, (_, n) => (n < 256 ? `${n}` : 'system')),
  );
  t.is(read.length, 256);
});
