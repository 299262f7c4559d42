import type { OutboxRow } from '../../../index.js';

const prefix = '00000000-0000-7000-8000-';

/** Number of workspaces. */
const workspaces = 3;

/** The n-th event of a run. */
export const eventNamed = (n: number): OutboxRow => ({
  id: `${prefix}${String(n).padStart(12, '0')}`,
  workspaceId: `${prefix}${String(n % workspaces).padStart(12, '0')}`,
  kind: 'CONTACT_CREATED',
  body: '{}',
});

/** Its name in a list of steps. */
export const nameOf = ({ id }: Pick<OutboxRow, 'id'>): string =>
  `e${Number(id.slice(prefix.length))}`;
