/** The processes, which have a Deployment each of their name. */
export const processes = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'] as const;
export type ProcessName = (typeof processes)[number];

/** Where Roster is, and where those are that use it. */
export const namespace = 'roster';
export const outside = 'roster-test';

export const nameLabel = 'app.kubernetes.io/name';
