/** Limits that apply separately to reads and to writes: a write that waits for a lock does not occupy a slot of a read. */
export interface ServeOptions {
  /** Batches of one kind handled at once. Fewer than the pool has connections, so that waiting writes leave some to reads. */
  concurrency?: number;
  /**
   * Batches of one kind that may wait for a slot. Above that, the last batch of the workspace with the most waiting batches is
   * answered `unavailable`.
   */
  waitingMax?: number;
  /** How long a batch waits for a lock before calls that need it are deferred. */
  deferAfterMs?: number;
}
