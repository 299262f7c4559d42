import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A metric that a query selects, and by what. */
export interface Selector {
  metric: string;
  matchers: { label: string; op: string; value: string }[];
}

/** What a query reads and gives. */
export interface Inspection {
  selectors: Selector[];
  /** Labels of the series it results in. */
  labels: ReadonlySet<string>;
  /** Syntax errors, unknown metrics and labels that what they are asked of does not have. */
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
  const selectors: Selector[] = [];
  const problems: string[] = [];
  const textOf = ({ from, to }: SyntaxNode) => query.slice(from, to);

  parser.parse(query).iterate({
    enter({ type, from }) {
      if (type.isError) problems.push(`syntax error at ${from}: ${query.slice(from, from + 20)}`);
    },
  });
  if (problems.length > 0) return { selectors, labels: new Set(), problems };

  const require = (wanted: string[], there: ReadonlySet<string>, what: string) => {
    for (const label of wanted) {
      if (!there.has(label)) problems.push(`${what} has no label ${label}`);
    }
  };
  const labelNames = (clause: SyntaxNode | null) =>
    clause ? clause.getChildren('LabelName').map(textOf) : [];

  const rules: Record<string, (node: SyntaxNode) => ReadonlySet<string>> = {
    VectorSelector(node) {
      const name = node.getChild('Identifier');
      const metric = name ? textOf(name) : '';
      const matchers = (
        node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
      ).map((matcher) => ({
        label: textOf(matcher.getChild('LabelName')!),
        op: textOf(matcher.getChild('MatchOp')!),
        value: JSON.parse(textOf(matcher.getChild('StringLiteral')!)) as string,
      }));
      selectors.push({ metric, matchers });
      const known = labelsOf(metric);
      if (!known) problems.push(`no process exports ${metric || textOf(node)}`);
      const labels = new Set(known);
      if (known) require(matchers.map(({ label }) => label), labels, metric);
      return labels;
    },
    AggregateExpr(node) {
      const inner = labelsOfAll(node.getChild('FunctionCallBody'));
      const modifier = node.getChild('AggregateModifier');
      const named = labelNames(modifier?.getChild('GroupingLabels') ?? null);
      require(named, inner, textOf(node.getChild('FunctionCallBody')!));
      if (modifier?.getChild('Without'))
        return new Set([...inner].filter((label) => !named.includes(label)));
      const op = textOf(node.getChild('AggregateOp')!);
      return !modifier && ['topk', 'bottomk'].includes(op) ? inner : new Set(named);
    },
    FunctionCall(node) {
      const name = textOf(node.getChild('FunctionIdentifier')!);
      const labels = new Set(labelsOfAll(node.getChild('FunctionCallBody')));
      if (name === 'histogram_quantile') labels.delete('le');
      return labels;
    },
    BinaryExpr(node) {
      const sides = [node.firstChild!, node.lastChild!] as const;
      const [left, right] = [labelsIn(sides[0]), labelsIn(sides[1])];
      const clause = node.getChild('MatchingModifierClause');
      const [matched = null, copied = null] = clause?.getChildren('GroupingLabels') ?? [];
      for (const [side, labels] of [
        [sides[0], left],
        [sides[1], right],
      ] as const) {
        if (clause?.getChild('On')) require(labelNames(matched), labels, textOf(side));
      }
      const [many, one] = clause?.getChild('GroupRight') ? [right, left] : [left, right];
      require(labelNames(copied), one, 'the side of one');
      if (node.getChild('Or')) return new Set([...left, ...right]);
      return new Set([...(many.size > 0 ? many : one), ...labelNames(copied)]);
    },
  };

  function labelsIn(node: SyntaxNode): ReadonlySet<string> {
    return rules[node.name]?.(node) ?? labelsOfAll(node);
  }

  function labelsOfAll(node: SyntaxNode | null): ReadonlySet<string> {
    const labels = new Set<string>();
    for (let child = node?.firstChild; child; child = child.nextSibling) {
      for (const label of labelsIn(child)) labels.add(label);
    }
    return labels;
  }

  const labels = labelsOfAll(parser.parse(query).topNode);
  return { selectors, labels, problems };
}
