/**
 * How many more of a bounded number a workspace may take: until it has as many as are free. Whoever comes next finds some free: one
 * busy workspace takes half, two take a third each.
 *
 * @param free of all, for whoever takes them
 * @param own those that the workspace has
 */
export function fairShare(free: number, own: number): number {
  if (free <= 0) return 0;
  return Math.max(own === 0 ? 1 : 0, Math.ceil((free - own) / 2));
}
