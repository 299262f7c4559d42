import type { ActivityChange } from './activity.js';
import type { ProgramName } from './operation.js';

/**
 * Messages about state that processes keep in memory, delivered at most once to every process that listens. The name is the NATS subject.
 */
export interface Broadcasts {
  /**
   * A key was revoked, or its secret replaced without an overlap; with `isValid` its previous secret remains valid for a while.
   * Gateways evict it from their caches. Unless `isValid`, they end its subscriptions, and verify its browser tokens again, which
   * a rotation does not end.
   */
  'keys.revoked': { keyId: string; isValid?: true };
  /**
   * A workspace replaced its origins. Gateways verify its keys again, and forget whether any workspace lists the origins that
   * were added or removed.
   */
  'origins.changed': { workspaceId: string; origins: string[] };
  /**
   * A workspace was suspended or resumed, or its quotas changed. Gateways verify its keys again, also those of its subscriptions.
   * Processes of the contacts service forget its quota.
   */
  'workspaces.changed': { workspaceId: string };
  /** A contact property of a workspace was deleted. Processes of the contacts service forget which properties it has. */
  'contact-properties.deleted': { workspaceId: string };
  /** The webhooks of a workspace changed. Dispatchers evict its cached subscriptions. */
  'webhooks.changed': { workspaceId: string };
  /**
   * A gateway answered requests that count against rate limits. The other gateways count them too. A report has at most 500
   * keys and 500 workspaces.
   */
  'rates.used': {
    /** Random ID of the gateway process. */
    gateway: string;
    keys: [keyId: string, requests: number][];
    workspaces: [workspaceId: string, requests: number][];
  };
}

/**
 * As `Broadcasts`, to the processes that listen to one workspace: its ID follows the name in the subject. NATS drops a message
 * without listeners.
 */
export interface WorkspaceBroadcasts {
  /**
   * Deliveries, circuits of webhooks, imports, replays or actions on contacts changed. A hint: gateways pass it to subscriptions, whose clients read
   * again what they show. A process collects changes for 200 ms; `more` says that it left some out.
   */
  'workspace.activity': {
    deliveries?: ActivityChange<'deliveries'>[];
    webhooks?: ActivityChange<'webhooks'>[];
    imports?: ActivityChange<'imports'>[];
    replays?: ActivityChange<'replays'>[];
    contactActions?: ActivityChange<'contactActions'>[];
    more?: true;
  };
}

interface Programs {
  from: readonly ProgramName[];
  to: readonly ProgramName[];
}

/** The programs that send a broadcast, and those that listen to it. NATS denies it to all others. */
export const broadcasts: Record<keyof Broadcasts, Programs> = {
  'keys.revoked': { from: ['users'], to: ['gateway'] },
  'origins.changed': { from: ['users'], to: ['gateway'] },
  'workspaces.changed': { from: ['users'], to: ['gateway', 'contacts'] },
  'contact-properties.deleted': { from: ['contacts'], to: ['contacts'] },
  'webhooks.changed': { from: ['webhooks'], to: ['dispatcher'] },
  'rates.used': { from: ['gateway'], to: ['gateway'] },
};

export const workspaceBroadcasts: Record<keyof WorkspaceBroadcasts, Programs> = {
  'workspace.activity': { from: ['contacts', 'dispatcher'], to: ['gateway'] },
};

/** @param workspaceId `*` for those of all workspaces */
export const workspaceSubject = (name: keyof WorkspaceBroadcasts, workspaceId: string): string =>
  `${name}.${workspaceId}`;
