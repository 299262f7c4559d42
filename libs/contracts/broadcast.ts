/**
 * Messages that invalidate caches, delivered at most once to every process that listens. The name is the NATS subject.
 */
export interface Broadcasts {
  /** A key was revoked. Gateways evict it from their caches. */
  'keys.revoked': { keyId: string };
  /** A contact property of a workspace was deleted. Processes of the contacts service forget which properties it has. */
  'contact-properties.deleted': { workspaceId: string };
  /** The webhooks of a workspace changed. Dispatchers evict its cached subscriptions. */
  'webhooks.changed': { workspaceId: string };
}
