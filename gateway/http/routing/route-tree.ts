import type { Layer } from '@koa/router';

/** A position in paths. */
interface Node {
  /** The next position, by the text of the next segment. */
  literals: Map<string, Node>;
  /** The next position after any segment that is not empty. */
  parameter: Node | undefined;
  /** Routes whose path ends here. */
  layers: Layer[];
}

/** Finds routes by the segments of a path: the time does not depend on the number of routes. */
export class RouteTree {
  readonly #root = emptyNode();

  /** @param layers routes of a router that matches paths exactly. Each parameter is a whole segment. */
  constructor(layers: readonly Layer[]) {
    for (const layer of layers) {
      let node = this.#root;
      for (const segment of segmentsOf(String(layer.path))) node = childOf(node, segment);
      node.layers.push(layer);
    }
  }

  /** The routes that match a path, whatever their method. Those with literal segments come before those with parameters. */
  find(path: string): Layer[] {
    const found: Layer[] = [];
    collect(this.#root, segmentsOf(path), 0, found);
    return found;
  }
}

const emptyNode = (): Node => ({ literals: new Map(), parameter: undefined, layers: [] });

const segmentsOf = (path: string): string[] => path.split('/');

function childOf(node: Node, segment: string): Node {
  if (segment.startsWith(':')) return (node.parameter ??= emptyNode());
  const child = node.literals.get(segment) ?? emptyNode();
  node.literals.set(segment, child);
  return child;
}

function collect(
  { literals, parameter, layers }: Node,
  segments: string[],
  position: number,
  found: Layer[],
): void {
  const segment = segments[position];
  if (segment === undefined) return void found.push(...layers);
  const literal = literals.get(segment);
  if (literal) collect(literal, segments, position + 1, found);
  if (parameter && segment !== '') collect(parameter, segments, position + 1, found);
}
