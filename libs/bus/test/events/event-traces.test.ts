import test from 'ava';
import { formatTraces, withTraces, type EventTrace } from '../../events/event-traces.js';

const traceOf = (n: number, tracestate?: string): EventTrace => ({
  traceparent: `00-${n.toString(16).padStart(32, 'a')}-b7ad6b7169203331-01`,
  ...(tracestate !== undefined && { tracestate }),
});
const eventsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: String(n), body: '{}', details: undefined }));
const read = (header: string, count: number) =>
  withTraces(eventsOf(count), header).map(({ trace }) => trace);

test('each event of a message has the trace of what caused it', (t) => {
  for (const traces of [
    [traceOf(1)],
    [traceOf(1, 'a=1,b=2'), traceOf(1, 'a=1,b=2')],
    [undefined, traceOf(1), traceOf(2, 'a=1'), undefined, traceOf(1)],
  ])
    t.deepEqual(read(formatTraces(traces)!, traces.length), traces);
  t.is(formatTraces([undefined, undefined]), undefined);
});

test('the header is bounded: further traces are left out', (t) => {
  const traces = Array.from({ length: 200 }, (_, n) => traceOf(n));
  const header = formatTraces(traces)!;
  t.true(header.length <= 1000);
  const found = read(header, 200);
  t.deepEqual(found.slice(0, 10), traces.slice(0, 10));
  t.is(found.at(-1), undefined);
  // One trace of all events is short.
  t.is(read(formatTraces(traces.map(() => traceOf(1)))!, 200).filter(Boolean).length, 200);
});

test('a malformed header gives events no trace', (t) => {
  const { traceparent } = traceOf(1);
  for (const header of [
    '',
    'x',
    `* ${traceparent}`,
    '* x -',
    `7,-1,x ${traceparent} -`,
    `__proto__ ${traceparent} -`,
  ])
    t.deepEqual(read(header, 2), [undefined, undefined], header);
  t.deepEqual(read(`0 ${traceparent} x`, 1), [traceOf(1)]);
});
