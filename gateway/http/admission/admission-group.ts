import { FifoQueue } from './fifo-queue.js';

/** A connection, as far as it takes to leave its next request in the kernel's buffer. */
export interface PausableConnection {
  pause(): unknown;
  resume(): unknown;
}

/** The requests of one workspace, or all requests with a key that was never seen or without a key. */
export class AdmissionGroup {
  readonly inFlightMax: number;
  readonly queuedMax: number;
  /** Number of requests that hold a slot. */
  inFlight = 0;
  /** Number of requests that hold no slot while their keys are looked up; at most `queuedMax`. */
  lookUps = 0;
  /** Whether the group is in line for the next free slot. */
  isInLine = false;
  readonly requests = new FifoQueue<(admitted: boolean) => void>();
  readonly paused = new FifoQueue<PausableConnection>();

  constructor(inFlightMax: number, queuedMax: number) {
    this.inFlightMax = inFlightMax;
    this.queuedMax = queuedMax;
  }

  /** Whether nothing would be lost with the group. */
  get isUnused(): boolean {
    return this.inFlight + this.lookUps + this.requests.length + this.paused.length === 0;
  }
}
