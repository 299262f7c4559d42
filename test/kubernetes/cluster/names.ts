/** The processes. Each has a Deployment of its name. */
export const processes = ['gateway', 'contacts', 'users', 'webhooks', 'dispatcher'] as const;
export type ProcessName = (typeof processes)[number];

/** The namespaces of Roster and of its clients. */
export const namespace = 'roster';
export const outside = 'roster-test';

export const nameLabel = 'app.kubernetes.io/name';
