import { auditEntriesMax } from '@roster/contracts';
import type { AuditedCall } from '@roster/storage';

const dayMs = 86_400_000;
const sampleMs = 60_000;

/**
 * How many entries of the audit log this process writes about deletions and batches, which are never refused for lack of entries:
 * of a workspace, 250,000 a day (UTC), and then those of one moment a minute for each key and address. Counted in memory, because a
 * number in the database would make simultaneous deletions of a workspace wait for each other.
 */
export class AuditAllowance {
  #day = 0;
  readonly #counts = new Map<string, number>();
  readonly #sampledAt = new Map<string, number>();

  constructor(readonly max = auditEntriesMax) {}

  /** Whether a call that changes something has an entry. */
  admits(call: AuditedCall): boolean {
    if (!this.#isUsedUp(call)) return true;
    return Date.now() - (this.#sampledAt.get(senderOf(call)) ?? 0) >= sampleMs;
  }

  /** To be called when an entry is committed. */
  took(call: AuditedCall): void {
    const day = Math.floor(Date.now() / dayMs);
    if (day !== this.#day) for (const past of [this.#counts, this.#sampledAt]) past.clear();
    this.#day = day;
    if (this.#isUsedUp(call)) this.#sampledAt.set(senderOf(call), Date.now());
    const { workspaceId } = call.caller;
    this.#counts.set(workspaceId, (this.#counts.get(workspaceId) ?? 0) + 1);
  }

  #isUsedUp({ caller }: AuditedCall): boolean {
    return (this.#counts.get(caller.workspaceId) ?? 0) >= this.max;
  }
}

const senderOf = ({ caller, address }: AuditedCall): string =>
  `${caller.workspaceId} ${caller.keyId} ${address}`;
