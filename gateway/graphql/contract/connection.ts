import { Field, ObjectType } from 'type-graphql';
import { classNamed } from './fields-of.js';

/** A connection of the Relay specification. https://relay.dev/graphql/connections.htm */
export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  nodes: Node[];
  pageInfo: PageInfo;
}

@ObjectType({
  description: 'Pagination information. See https://relay.dev/graphql/connections.htm',
})
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean)
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

export interface ConnectionDetails {
  description: string;
  /** Name of the type of an edge. */
  edge: string;
  /** What the connection is of, such as `a contact`. */
  of: string;
  /** Description of the cursor. */
  cursor?: string;
}

/** Declares the fields of a connection on a class, and the type of its edges. */
export const ConnectionOf =
  (
    node: () => object,
    { description, edge, of, cursor = 'Cursor for `after`.' }: ConnectionDetails,
  ) =>
  (target: Function): void => {
    const edgeType = classNamed(edge);
    Field(() => String, { description: cursor })(edgeType.prototype, 'cursor');
    Field(node)(edgeType.prototype, 'node');
    ObjectType({ description: `An edge of ${of} connection.` })(edgeType);
    const prototype = target.prototype as object;
    Field(() => [edgeType])(prototype, 'edges');
    Field(() => [node()], { description: 'Nodes of the edges.' })(prototype, 'nodes');
    Field(() => PageInfo)(prototype, 'pageInfo');
    ObjectType({ description })(target);
  };

/** @param ends of a page that may have ended before or after its entries, or is empty: one with a filter */
export function connectionOf<Node extends object>(
  nodes: Node[],
  { hasNext, hasPrevious }: { hasNext: boolean; hasPrevious: boolean },
  cursorOf: (node: Node) => string = idCursorOf as never,
  ends: { start?: string | null; end?: string | null } = {},
): Connection<Node> {
  const edges = nodes.map((node) => ({ cursor: cursorOf(node), node }));
  return {
    edges,
    nodes,
    pageInfo: {
      hasNextPage: hasNext,
      hasPreviousPage: hasPrevious,
      startCursor: ends.start ?? edges[0]?.cursor ?? null,
      endCursor: ends.end ?? edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The cursor of a list in the order of its IDs: the ID without its prefix. */
const idCursorOf = ({ id }: { id: string }): string => id.slice(id.indexOf('_') + 1);
