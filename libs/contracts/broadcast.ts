/**
 * Told to every process that listens, at most once each: what made cached knowledge stale.
 * The name is the NATS subject.
 */
export interface Broadcasts {
  /** A key was revoked; gateways drop what they cached for it. */
  'keys.revoked': { keyId: string };
  /** A workspace's webhooks changed; dispatchers drop their cached subscriptions. */
  'webhooks.changed': { workspaceId: string };
}
