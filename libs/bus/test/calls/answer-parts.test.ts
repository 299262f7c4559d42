import test from 'ava';
import { AnswerParts } from '../../calls/client/answer-parts.js';

const part = (bytes: number, value: number): Buffer => Buffer.alloc(bytes, value);

test('joins the parts of an answer in their order, whether or not it is large', (t) => {
  for (const expected of [undefined, 10, 1_000_000]) {
    const parts = new AnswerParts(expected);
    for (let n = 0; n < 50; n += 1) parts.add(part(10_000, n));
    const answer = parts.take();
    t.is(answer.length, 500_000);
    for (let n = 0; n < 50; n += 1) t.is(answer[n * 10_000 + 9999], n);
  }
});

test('holds a large answer once, whatever the number of its parts, and nothing after it was taken', (t) => {
  const bytes = 6 * 1024 * 1024;
  const parts = new AnswerParts(bytes);
  for (let at = 0; at < bytes; at += 32 * 1024) {
    parts.add(part(32 * 1024, 1));
    t.true(parts.heldBytes <= bytes + 64 * 1024, String(parts.heldBytes));
  }
  const answer = parts.take();
  t.is(answer.length, bytes);
  t.true(answer.buffer.byteLength <= bytes + 64 * 1024, String(answer.buffer.byteLength));
  t.is(parts.heldBytes, 0);
});

test('does not refer to the parts of a large answer', (t) => {
  const parts = new AnswerParts(100);
  const only = part(100, 1);
  parts.add(only);
  only.fill(2);
  t.is(parts.take()[0], 1);
});

test('takes no memory for a size that a service states and does not send', (t) => {
  for (const expected of [2 ** 40, 2 ** 60]) {
    const parts = new AnswerParts(expected);
    parts.add(part(100, 1));
    t.true(parts.heldBytes < 20 * 1024 * 1024, String(parts.heldBytes));
    t.is(parts.take().length, 100);
  }
});
