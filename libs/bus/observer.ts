import type { FaultCode } from '@roster/contracts';

/** Logger of the bus, compatible with pino. */
export interface BusLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Callbacks for metrics. Each may be called thousands of times per second. */
export interface BusObserver {
  /** A batch was sent. */
  batchSent?(operation: string, calls: number): void;
  /** A batch had no responders: its calls wait to be sent again. */
  batchReturned?(operation: string, calls: number): void;
  /** A call was dropped before it was sent, because its caller no longer waits for the answer. */
  callDropped?(operation: string): void;
  /** A batch was received. */
  batchReceived?(operation: string, calls: number): void;
  /** A handler of this process answered calls with the same outcome. */
  callsServed?(operation: string, outcome: 'ok' | FaultCode, seconds: number, calls: number): void;
}
