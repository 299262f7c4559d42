import { systemCaller } from '@roster/contracts';
import test from 'ava';
import { decodeRequest, encodeCall, encodeRequest } from '../../calls/frame/request-frame.js';
import { steadyNow } from '../../index.js';

const call = { requestId: 'r', deadline: steadyNow() + 5000, input: {} };
const encoded = encodeRequest([{ caller: systemCaller, encoded: encodeCall(call) }], 'c');
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

test('the clock of the client is named', (t) => {
  const clocks: unknown[] = [];
  const aheadOf = (_: number, clock: string) => clocks.push(clock);
  decodeRequest(Buffer.from(encoded), aheadOf);
  t.deepEqual(clocks, ['c']);
});

test('refuses what no client sends', (t) => {
  const wire = { c: 0, r: 'r', d: 1, i: {} };
  const batch = { at: 1, clock: 'c', callers: [systemCaller], calls: [wire] };
  const withCall = (change: object) => ({ ...batch, calls: [wire, { ...wire, ...change }] });
  const malformed: unknown[] = [
    ...[null, 7, 'text', [], {}, { callers: [] }, { calls: [wire] }],
    ...[null, 'text', { length: 1 }].flatMap((list) => [
      { ...batch, calls: list },
      { ...batch, callers: list },
    ]),
    ...[null, 7, 'text'].map((entry) => ({ ...batch, calls: [entry] })),
    ...[null, 'x', {}, undefined].map((at) => ({ ...batch, at })),
    ...[null, 7, 'x'.repeat(256), 'a b', undefined].map((clock) => ({ ...batch, clock })),
    ...['length', null, undefined].map((c) => withCall({ c })),
    ...['x', null, undefined].map((d) => withCall({ d })),
    ...[7, null, '', 'a b', 'x'.repeat(513)].map((s) => withCall({ s })),
    ...[7, {}, null, 'a\0b', 'x'.repeat(256)].flatMap((text) =>
      ['r', 't', 'k', 'a'].map((key) => withCall({ [key]: text })),
    ),
    { ...batch, calls: Array.from({ length: 257 }, () => wire) },
    { ...batch, callers: Array.from({ length: 257 }, () => systemCaller) },
  ];
  for (const document of malformed) {
    const text = JSON.stringify(document);
    t.throws(() => decodeRequest(Buffer.from(text)), { instanceOf: TypeError }, text.slice(0, 200));
  }
  t.is(decodeRequest(Buffer.from(JSON.stringify(batch))).calls.length, 1);
});
