import { systemCaller } from '@roster/contracts';
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
