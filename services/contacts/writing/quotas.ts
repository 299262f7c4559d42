import { steadyNow, type Bus } from '@roster/bus';
import {
  contactQuotaExceeded,
  encodeId,
  systemCaller,
  uuidOf,
  type Fault,
} from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import { randomUUID } from 'node:crypto';

/** Beyond it, the workspace that was added first is forgotten. */
const knownMax = 10_000;
/** Then the users service is asked again, in the background. */
const freshMs = 10_000;
/** Until then the users service must have answered. A workspace whose quota is unknown has none. */
const callMs = 500;

interface Known {
  /** Maximum number of contacts; null without a quota. */
  contacts: number | null;
  /** By `performance.now()`. */
  freshUntil: number;
}

/** The quotas of workspaces (UUIDs) that created contacts lately, as the users service states them. */
export class Quotas {
  readonly #bus: Pick<Bus, 'call'>;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<number | null>>();

  constructor(bus: Pick<Bus, 'call'>) {
    this.#bus = bus;
  }

  /** Synchronous for a workspace that is known. Null without a quota. Never rejects. */
  of(workspaceId: string): number | null | Promise<number | null> {
    const known = this.#known.get(workspaceId);
    if (!known) return this.#ask(workspaceId);
    if (known.freshUntil < performance.now()) void this.#ask(workspaceId, known.contacts);
    return known.contacts;
  }

  /** The quota of the workspace has changed. */
  forget(workspaceId: string): void {
    this.#asking.delete(workspaceId);
    this.#known.delete(workspaceId);
  }

  forgetAll(): void {
    this.#asking.clear();
    this.#known.clear();
  }

  #ask(workspaceId: string, before: number | null = null): Promise<number | null> {
    const asked = this.#asking.get(workspaceId);
    if (asked) return asked;
    const keep = (found: Known): number | null => {
      // Otherwise the quota may have changed meanwhile.
      if (this.#asking.get(workspaceId) === asking) {
        this.#asking.delete(workspaceId);
        if (this.#known.size >= knownMax) this.#known.delete(this.#known.keys().next().value!);
        this.#known.set(workspaceId, found);
      }
      return found.contacts;
    };
    const asking = this.#fetch(workspaceId).then(
      (contacts) => keep({ contacts, freshUntil: performance.now() + freshMs }),
      // The next creation asks again.
      () => keep({ contacts: before, freshUntil: -Infinity }),
    );
    this.#asking.set(workspaceId, asking);
    return asking;
  }

  async #fetch(id: string): Promise<number | null> {
    const workspaceId = encodeId('workspace', id);
    const context = {
      caller: { ...systemCaller, workspaceId },
      requestId: randomUUID(),
      deadline: steadyNow() + callMs,
    };
    return (await this.#bus.call('workspace-quotas.get', { workspaceId }, context)).contacts;
  }
}

/** Quotas that receive broadcasts of changes. Broadcasts are lost while NATS is unreachable. */
export function openQuotas(bus: Bus): Quotas {
  const quotas = new Quotas(bus);
  bus.listen('workspaces.changed', ({ workspaceId }) =>
    quotas.forget(uuidOf('workspace', workspaceId)),
  );
  bus.link.onChange(() => quotas.forgetAll());
  return quotas;
}

/**
 * The refusals of creations beyond the quotas of their workspaces, in their order; undefined if no workspace has one. Creations that
 * other processes make at the same time are not seen: together they may exceed a quota a little.
 *
 * @param workspaceIds of the creations
 */
export async function refusalsByQuota(
  { quotas }: { quotas: Quotas },
  workspaceIds: readonly string[],
  session: Session,
): Promise<(Fault | undefined)[] | undefined> {
  const known = new Map<string, number | null>();
  const asked: Promise<unknown>[] = [];
  for (const id of new Set(workspaceIds)) {
    const quota = quotas.of(id);
    if (quota instanceof Promise) asked.push(quota.then((found) => known.set(id, found)));
    else known.set(id, quota);
  }
  // Together: while the users service is away, a batch waits no longer than for one workspace.
  if (asked.length > 0) await Promise.all(asked);
  const limits = new Map([...known].filter((one): one is [string, number] => one[1] !== null));
  if (limits.size === 0) return undefined;
  const rows = await session.query<{ id: string; total: number }>(count, [[...limits.keys()]]);
  const left = new Map(rows.map(({ id, total }) => [id, limits.get(id)! - total]));
  return workspaceIds.map((id) => {
    const room = left.get(id);
    if (room === undefined) return undefined;
    left.set(id, room - 1);
    return room > 0 ? undefined : contactQuotaExceeded(limits.get(id)!);
  });
}

const count: Statement = {
  name: 'quotas.count',
  text: `
    select id, (select coalesce(sum(total), 0) from contacts.counters where workspace_id = id)::float8 as total
    from unnest($1::uuid[]) as workspaces (id)`,
};
