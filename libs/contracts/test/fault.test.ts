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

test('reads the exact code of a fault of 0.2.0, until 0.4.0', (t) => {
  const fault = { code: 'conflict', exactCode: 'limit_reached', message: 'Full.' } as const;
  t.is(Fault.fromWire(fault).code, 'limit_reached');
});
