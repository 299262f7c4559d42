import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A metric that a query selects, and by what. */
export interface Selector {
  metric: string;
  matchers: { label: string; op: string; value: string }[];
}

/** The series that a query reads, and its result. */
export interface Inspection {
  selectors: Selector[];
  /** Labels of the resulting series. */
  labels: ReadonlySet<string>;
  /** Syntax errors, unknown metrics, and labels that a metric or a result does not have. */
  problems: string[];
}

/**
 * Reads a PromQL query as Prometheus would, without data.
 *
 * @param labelsOf labels of a metric's series; undefined when there is no such metric
 */
export function inspectQuery(
  query: string,
  labelsOf: (metric: string) => Iterable<string> | undefined,
): Inspection {
  const tree = parser.parse(query);
  const problems: string[] = [];
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) problems.push(`syntax error at ${from}: ${query.slice(from, from + 20)}`);
    },
  });
  if (problems.length > 0) return { selectors: [], labels: new Set(), problems };
  const reader = new QueryReader(query, labelsOf);
  const labels = reader.labelsOfAll(tree.topNode);
  return { selectors: reader.selectors, labels, problems: reader.problems };
}

/** Collects the selectors and problems of a query without syntax errors while it determines the labels of each expression. */
class QueryReader {
  readonly selectors: Selector[] = [];
  readonly problems: string[] = [];
  readonly #query: string;
  readonly #labelsOf: (metric: string) => Iterable<string> | undefined;
  readonly #rules: Record<string, (node: SyntaxNode) => ReadonlySet<string>> = {
    VectorSelector: (node) => this.#vectorSelector(node),
    AggregateExpr: (node) => this.#aggregateExpr(node),
    FunctionCall: (node) => this.#functionCall(node),
    BinaryExpr: (node) => this.#binaryExpr(node),
  };

  constructor(query: string, labelsOf: (metric: string) => Iterable<string> | undefined) {
    this.#query = query;
    this.#labelsOf = labelsOf;
  }

  labelsOfAll(node: SyntaxNode | null): ReadonlySet<string> {
    const labels = new Set<string>();
    for (let child = node?.firstChild; child; child = child.nextSibling) {
      for (const label of this.#labelsIn(child)) labels.add(label);
    }
    return labels;
  }

  #labelsIn(node: SyntaxNode): ReadonlySet<string> {
    return this.#rules[node.name]?.(node) ?? this.labelsOfAll(node);
  }

  #vectorSelector(node: SyntaxNode): ReadonlySet<string> {
    const name = node.getChild('Identifier');
    const metric = name ? this.#textOf(name) : '';
    const matchers = (
      node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
    ).map((matcher) => ({
      label: this.#textOf(matcher.getChild('LabelName')!),
      op: this.#textOf(matcher.getChild('MatchOp')!),
      value: JSON.parse(this.#textOf(matcher.getChild('StringLiteral')!)) as string,
    }));
    this.selectors.push({ metric, matchers });
    const known = this.#labelsOf(metric);
    if (!known) this.problems.push(`no process exports ${metric || this.#textOf(node)}`);
    const labels = new Set(known);
    if (known)
      this.#require(
        matchers.map(({ label }) => label),
        labels,
        metric,
      );
    return labels;
  }

  #aggregateExpr(node: SyntaxNode): ReadonlySet<string> {
    const inner = this.labelsOfAll(node.getChild('FunctionCallBody'));
    const modifier = node.getChild('AggregateModifier');
    const named = this.#labelNames(modifier?.getChild('GroupingLabels') ?? null);
    this.#require(named, inner, this.#textOf(node.getChild('FunctionCallBody')!));
    if (modifier?.getChild('Without'))
      return new Set([...inner].filter((label) => !named.includes(label)));
    const op = this.#textOf(node.getChild('AggregateOp')!);
    return !modifier && ['topk', 'bottomk'].includes(op) ? inner : new Set(named);
  }

  #functionCall(node: SyntaxNode): ReadonlySet<string> {
    const name = this.#textOf(node.getChild('FunctionIdentifier')!);
    const labels = new Set(this.labelsOfAll(node.getChild('FunctionCallBody')));
    if (name === 'histogram_quantile') labels.delete('le');
    return labels;
  }

  #binaryExpr(node: SyntaxNode): ReadonlySet<string> {
    const sides = [node.firstChild!, node.lastChild!] as const;
    const [left, right] = [this.#labelsIn(sides[0]), this.#labelsIn(sides[1])];
    const clause = node.getChild('MatchingModifierClause');
    const [matched = null, copied = null] = clause?.getChildren('GroupingLabels') ?? [];
    for (const [side, labels] of [
      [sides[0], left],
      [sides[1], right],
    ] as const) {
      if (clause?.getChild('On'))
        this.#require(this.#labelNames(matched), labels, this.#textOf(side));
    }
    const [many, one] = clause?.getChild('GroupRight') ? [right, left] : [left, right];
    this.#require(this.#labelNames(copied), one, 'the side of one');
    if (node.getChild('Or')) return new Set([...left, ...right]);
    return new Set([...(many.size > 0 ? many : one), ...this.#labelNames(copied)]);
  }

  #require(wanted: string[], there: ReadonlySet<string>, what: string): void {
    for (const label of wanted) {
      if (!there.has(label)) this.problems.push(`${what} has no label ${label}`);
    }
  }

  #labelNames(clause: SyntaxNode | null): string[] {
    return clause ? clause.getChildren('LabelName').map((label) => this.#textOf(label)) : [];
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#query.slice(from, to);
  }
}
