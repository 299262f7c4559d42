import type { Operation } from '@roster/contracts';
import { move, type OperationQueue } from './operation-queue.js';
import type { PendingCall } from './pending-call.js';
import { Sender, type SendBatch } from './sender.js';

/** Maximum number of isolated workspaces of one operation. */
const isolatedMax = 16;
/** Name under which deferred calls of further workspaces are sent, together. */
const others = 'others';

interface Senders {
  /** Of all workspaces that are not isolated. */
  shared: Sender;
  /** By workspace. */
  isolated: Map<string, Sender>;
}

/**
 * The senders of a client: one for each operation, and one for each workspace whose calls of the operation wait for a lock. These
 * are isolated, so that they do not delay calls of other workspaces.
 */
export class SenderTable {
  readonly #send: SendBatch;
  readonly #senders = new Map<string, Senders>();
  #queues: readonly OperationQueue[] = [];
  #isolated = 0;

  constructor(send: SendBatch) {
    this.#send = send;
  }

  /** The queues of all senders. */
  get queues(): readonly OperationQueue[] {
    return this.#queues;
  }

  /** Number of isolated workspaces, summed over the operations. */
  get isolated(): number {
    return this.#isolated;
  }

  /** The sender of all workspaces that are not isolated. */
  shared(operation: Operation): Sender {
    return this.#of(operation).shared;
  }

  of(operation: Operation, workspaceId: string): Sender {
    const { shared, isolated } = this.#of(operation);
    return isolated.size === 0 ? shared : (isolated.get(workspaceId) ?? shared);
  }

  /** Isolates the workspaces of deferred calls. Returns the senders of these calls. */
  isolate(operation: Operation, deferred: readonly PendingCall[], now: number): Set<Sender> {
    const senders = this.#of(operation);
    const { queue } = senders.shared;
    const senderOf = (workspaceId: string): Sender => {
      const { isolated } = senders;
      const name = isolated.has(workspaceId) || isolated.size < isolatedMax ? workspaceId : others;
      if (!isolated.has(name)) isolated.set(name, new Sender(operation, this.#send, name));
      return isolated.get(name)!;
    };
    const receivers = new Set<Sender>();
    for (const [workspaceId, calls] of Map.groupBy(deferred, ({ caller }) => caller.workspaceId)) {
      const sender = senderOf(workspaceId);
      sender.contended(now);
      move([...calls, ...queue.withdraw(workspaceId)], sender.queue);
      receivers.add(sender);
    }
    this.#list();
    return receivers;
  }

  /** Ends the isolation of workspaces that are no longer contended. Returns the senders of their queued calls. */
  rejoin(now: number): Set<Sender> {
    const receivers = new Set<Sender>();
    if (this.#isolated === 0) return receivers;
    for (const { shared, isolated } of this.#senders.values()) {
      for (const [name, sender] of isolated) {
        if (sender.isContended(now)) continue;
        isolated.delete(name);
        move(sender.queue.withdraw(), shared.queue);
        receivers.add(shared);
      }
    }
    if (receivers.size > 0) this.#list();
    return receivers;
  }

  #of(operation: Operation): Senders {
    let senders = this.#senders.get(operation.name);
    if (!senders) {
      senders = { shared: new Sender(operation, this.#send), isolated: new Map() };
      this.#senders.set(operation.name, senders);
      this.#list();
    }
    return senders;
  }

  #list(): void {
    const all = [...this.#senders.values()];
    this.#queues = all.flatMap(({ shared, isolated }) =>
      [shared, ...isolated.values()].map(({ queue }) => queue),
    );
    this.#isolated = this.#queues.length - all.length;
  }
}
