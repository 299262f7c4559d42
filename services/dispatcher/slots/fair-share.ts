/**
 * How many more units of a bounded resource a workspace may take: until it has as many as are free. Other workspaces always find
 * some: one busy workspace takes half, two take a third each.
 *
 * @param free units that no workspace has
 * @param own units that this workspace has
 */
export function fairShare(free: number, own: number): number {
  if (free <= 0) return 0;
  return Math.max(own === 0 ? 1 : 0, Math.ceil((free - own) / 2));
}
