import type { PageInfo } from './page-info.js';

interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  nodes: Node[];
  pageInfo: PageInfo;
}

/** Builds a connection of the Relay specification. https://relay.dev/graphql/connections.htm */
export function connectionOf<Node>(
  nodes: Node[],
  cursorOf: (node: Node) => string,
  { hasNext, hasPrevious }: { hasNext: boolean; hasPrevious: boolean },
): Connection<Node> {
  const edges = nodes.map((node) => ({ cursor: cursorOf(node), node }));
  return {
    edges,
    nodes,
    pageInfo: {
      hasNextPage: hasNext,
      hasPreviousPage: hasPrevious,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
