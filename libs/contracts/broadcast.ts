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

/** The programs that send a broadcast, and those that listen to it. NATS denies it to all others. */
export const broadcasts: Record<
  keyof Broadcasts,
  { from: readonly ProgramName[]; to: readonly ProgramName[] }
> = {
  'keys.revoked': { from: ['users'], to: ['gateway'] },
  'origins.changed': { from: ['users'], to: ['gateway'] },
  'contact-properties.deleted': { from: ['contacts'], to: ['contacts'] },
  'webhooks.changed': { from: ['webhooks'], to: ['dispatcher'] },
  'rates.used': { from: ['gateway'], to: ['gateway'] },
};
