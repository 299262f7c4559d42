/**
 * Of the time of a process, for the expensive work of one workspace while other workspaces are active: slices of GraphQL work
 * and of batches, and large results. Each is followed by a pause in proportion to what it took.
 */
export const workShare = 1 / 5;
