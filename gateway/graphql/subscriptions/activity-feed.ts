import type { Bus } from '@roster/bus';
import type { WorkspaceBroadcasts } from '@roster/contracts';

export type ActivityMessage = WorkspaceBroadcasts['workspace.activity'];
type Hear = (message: ActivityMessage) => void;

/** The activity of the workspaces that have subscribers here: one subscription in NATS for each. */
export class ActivityFeed {
  readonly #bus: Bus;
  readonly #workspaces = new Map<string, { listeners: Set<Hear>; stop: () => void }>();

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.link.onChange((up) => {
      // What was sent meanwhile is lost.
      if (up)
        for (const { listeners } of this.#workspaces.values()) tell(listeners, { more: true });
    });
  }

  /** Resolves when the server has the subscription: nothing that is sent from then on is missed. */
  async join(workspaceId: string, hear: Hear): Promise<() => void> {
    let workspace = this.#workspaces.get(workspaceId);
    if (!workspace) {
      const listeners = new Set<Hear>();
      const stop = this.#bus.listenTo(workspaceId, 'workspace.activity', (message) =>
        tell(listeners, message),
      );
      workspace = { listeners, stop };
      this.#workspaces.set(workspaceId, workspace);
    }
    const { listeners, stop } = workspace;
    listeners.add(hear);
    // If the connection is lost meanwhile, the next one is followed by `more`.
    await this.#bus.link.nats.flush().catch(() => undefined);
    return () => {
      if (!listeners.delete(hear) || listeners.size > 0) return;
      this.#workspaces.delete(workspaceId);
      if (!this.#bus.link.nats.isClosed()) stop();
    };
  }
}

function tell(listeners: ReadonlySet<Hear>, message: ActivityMessage): void {
  for (const hear of listeners) hear(message);
}
