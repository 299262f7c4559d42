import {
  activityMax,
  encodeId,
  type ActivityChange,
  type ActivityKind,
  type WorkspaceBroadcasts,
} from '@roster/contracts';
import type { Bus } from './bus.js';

/** How long changes of a workspace are collected. */
const everyMs = 200;
/** Workspaces whose changes are collected at once. */
const workspacesMax = 256;

type Make = () => ActivityChange<ActivityKind>;

/** What changed in a workspace since its last message. */
interface Collected {
  /** By kind and raw ID: of several changes of one thing, the last one is sent. */
  changes: Map<ActivityKind, Map<string, Make>>;
  hasMore: boolean;
}

/**
 * Tells gateways what changed in workspaces: a message of bounded size per workspace in 200 ms, or sooner if very many workspaces
 * change. To note a change costs an entry of a map; messages are made of those that are sent only. Nobody waits for them.
 */
export class ActivityReporter {
  readonly #bus: Pick<Bus, 'broadcastTo'>;
  readonly #workspaces = new Map<string, Collected>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(bus: Pick<Bus, 'broadcastTo'>) {
    this.#bus = bus;
  }

  /**
   * A thing changed. Raw IDs.
   *
   * @param make makes the change that is sent. It is kept until then, and must not keep large objects.
   */
  note<Kind extends ActivityKind>(
    workspaceId: string,
    kind: Kind,
    id: string,
    make: () => ActivityChange<Kind>,
  ): void {
    const collected = this.#of(workspaceId);
    let changes = collected.changes.get(kind);
    if (!changes) collected.changes.set(kind, (changes = new Map<string, Make>()));
    if (changes.size < activityMax[kind] || changes.has(id)) changes.set(id, make);
    else collected.hasMore = true;
  }

  /** Things changed that are not named one by one. */
  noteMore(workspaceId: string): void {
    this.#of(workspaceId).hasMore = true;
  }

  /** Sends what was noted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [workspaceId, collected] of this.#workspaces)
      this.#bus.broadcastTo(
        encodeId('workspace', workspaceId),
        'workspace.activity',
        messageOf(collected),
      );
    this.#workspaces.clear();
  }

  /** Sends what was noted, and nothing from then on. */
  close(): void {
    this.flush();
    this.#closed = true;
  }

  #of(workspaceId: string): Collected {
    let collected = this.#workspaces.get(workspaceId);
    if (collected) return collected;
    collected = { changes: new Map(), hasMore: false };
    if (this.#closed) return collected;
    if (this.#workspaces.size >= workspacesMax) this.flush();
    this.#workspaces.set(workspaceId, collected);
    this.#timer ??= setTimeout(() => this.flush(), everyMs);
    return collected;
  }
}

function messageOf({ changes, hasMore }: Collected): WorkspaceBroadcasts['workspace.activity'] {
  const lists = [...changes].map(([kind, made]) => [
    kind,
    Array.from(made.values(), (make) => make()),
  ]);
  return { ...Object.fromEntries(lists), ...(hasMore && { more: true }) };
}
