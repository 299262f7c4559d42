import test from 'ava';
import { isSampled, parseTraceparent, parseTracestate, unsampled } from '@roster/telemetry';

const trace = '0af7651916cd43dd8448eb211c80319c';

test('reads a traceparent of any version as version 00, and none that is invalid', (t) => {
  const valid = `00-${trace}-b7ad6b7169203331-01`;
  t.is(parseTraceparent(valid), valid);
  t.is(parseTraceparent(`cc-${trace}-b7ad6b7169203331-01-later`), valid);
  for (const wrong of [
    undefined,
    [valid, valid],
    '',
    `${valid}-x`,
    `ff-${trace}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
  ])
    t.is(parseTraceparent(wrong), undefined);
});

test('reads whether a trace is sampled from the lowest bit of its flags', (t) => {
  const withFlags = (flags: string) => `00-${trace}-b7ad6b7169203331-${flags}`;
  t.deepEqual(
    ['00', '01', '02', '03', 'fe', 'ff'].map((flags) => isSampled(withFlags(flags))),
    [false, true, false, true, false, true],
  );
  t.is(unsampled(withFlags('01')), withFlags('00'));
});

test('reads a tracestate without spaces, and none that is invalid or long', (t) => {
  t.is(parseTracestate('a=1, b@c=2 ,,'), 'a=1,b@c=2');
  for (const wrong of [undefined, '', ',', 'a', 'A=1', 'a=1 2', `a=${'x'.repeat(600)}`])
    t.is(parseTracestate(wrong), undefined);
});
