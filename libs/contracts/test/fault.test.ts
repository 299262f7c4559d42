import test from 'ava';
import { Fault, httpStatus, type FaultCode } from '../index.js';

test('a fault arrives with the code it was sent with', (t) => {
  for (const code of Object.keys(httpStatus) as FaultCode[]) {
    const fault = new Fault(code, 'Why.', { retryAfterSeconds: 1, reason: 'for the log' });
    const received = Fault.fromWire(fault.toWire());
    t.is(received.code, code);
    t.is(received.message, 'Why.');
    t.deepEqual(received.details, { retryAfterSeconds: 1 });
  }
});

test('a code that the previous release does not know is one that it knows, with the same status', (t) => {
  const { code } = new Fault('limit_reached', 'Full.').toWire();
  t.is(code, 'conflict');
  t.is(httpStatus[code], httpStatus.limit_reached);
});

test('a code of a later release is read as the one that every release knows', (t) => {
  const later = { code: 'conflict', exactCode: 'later' as FaultCode, message: 'Why.' } as const;
  t.is(Fault.fromWire(later).code, 'conflict');
});
