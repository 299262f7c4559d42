import type { FaultCode } from '@roster/contracts';

/** Where the bus writes lines; pino fits. */
export interface BusLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the bus tells about its work, for metrics. Every method may be called thousands of times a second. */
export interface BusObserver {
  /** A batch went out to NATS. */
  batchSent?(operation: string, calls: number): void;
  /** Nobody serves the operation of a batch: its calls wait to be sent again. */
  batchReturned?(operation: string, calls: number): void;
  /** A batch arrived from NATS. */
  batchReceived?(operation: string, calls: number): void;
  /** A call was answered by a handler here. */
  callServed?(operation: string, outcome: 'ok' | FaultCode, seconds: number): void;
}
