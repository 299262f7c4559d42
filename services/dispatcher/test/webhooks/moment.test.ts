import type { StreamPosition } from '@roster/contracts';
import test from 'ava';
import { comesBefore } from '../../webhooks/known-webhook.js';
import { idAt } from '../id-at.js';

const nowMs = Date.now();
const hourMs = 3_600_000;
const stream = '2026-11-01T00:00:00.1Z';
const position: StreamPosition = { stream, sequence: 100, storedNs: 1e18 };
const moment = { ms: nowMs, position };

interface Example {
  title: string;
  at?: Partial<StreamPosition>;
  hours: number;
  republished?: boolean;
  before: boolean | undefined;
}

const examples: Example[] = [
  { title: 'the event at the position', hours: 5, before: true },
  { title: 'the next event', at: { sequence: 101 }, hours: -5, before: false },
  {
    title: 'the next event, stored after the clock of NATS stepped back',
    ...{ at: { sequence: 101, storedNs: 9e17 }, hours: -5, before: false },
  },
  {
    title: 'an event at a sequence that the stream had lost',
    ...{ at: { sequence: 90, storedNs: 1e18 + 1e9 }, hours: -5, before: false },
  },
  {
    title: 'an event that was published again, hours before',
    ...{ at: { sequence: 101 }, hours: -2.1, republished: true, before: true },
  },
  {
    title: 'an event that was published again, of about the same time',
    ...{ at: { sequence: 101 }, hours: -1.9, republished: true, before: undefined },
  },
  {
    title: 'an event of another stream, hours later',
    ...{ at: { stream: '2026-11-02T00:00:00Z' }, hours: 2.1, before: false },
  },
  {
    title: 'an event of another stream, of about the same time',
    ...{ at: { stream: '2026-11-02T00:00:00Z' }, hours: 0, before: undefined },
  },
];

for (const { title, at, hours, republished = false, before } of examples)
  test(`whether an event comes before a moment: ${title}`, (t) => {
    const rawId = idAt(nowMs + hours * hourMs);
    const event = { rawId, republished, position: { ...position, ...at } };
    t.is(comesBefore(event, moment), before);
  });

test('times alone tell what comes before a moment of unknown position', (t) => {
  const of = (hours: number) =>
    comesBefore(
      { rawId: idAt(nowMs + hours * hourMs), republished: false, position },
      { ms: nowMs, position: null },
    );
  t.deepEqual([of(-2.1), of(-1.9), of(1.9), of(2.1)], [true, undefined, undefined, false]);
});
