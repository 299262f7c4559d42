import { systemCaller } from '@roster/contracts';
import test from 'ava';
import { decodeRequest, encodeCall, encodeRequest } from '../calls/frame/request-frame.js';

const hourMs = 3_600_000;

/** The deadline that a service reads, in milliseconds from now, for one 5 s after the client's time. */
function deadlineAfter(clientAheadMs: number, changed: (text: string) => string = (text) => text) {
  const { now } = Date;
  Date.now = () => now() + clientAheadMs;
  let text: string;
  try {
    const call = { requestId: 'r', deadline: Date.now() + 5000, input: {} };
    text = encodeRequest([{ caller: systemCaller, encoded: encodeCall(call) }], true);
  } finally {
    Date.now = now;
  }
  const [call] = decodeRequest(Buffer.from(changed(text))).calls;
  return Math.round((call!.deadline - Date.now()) / 1000);
}

test('a deadline is the same time from now for a client whose clock is an hour ahead or behind', (t) => {
  t.is(deadlineAfter(hourMs), 5);
  t.is(deadlineAfter(-hourMs), 5);
});

test('the time of a batch in transit counts towards the deadline', (t) => {
  t.is(deadlineAfter(0), 5);
  t.is(deadlineAfter(-20_000), -15);
});

test('reads a batch of the previous release, which does not say when it was sent', (t) => {
  const withoutTime = (text: string) => text.replace(/"at":\d+,/, '');
  t.is(deadlineAfter(hourMs, withoutTime), 3605);
});
