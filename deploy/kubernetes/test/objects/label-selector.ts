/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements */
export interface LabelSelector {
  matchLabels?: Record<string, string> | null | undefined;
  matchExpressions?:
    | readonly { key: string; operator: string; values?: string[] | null }[]
    | null
    | undefined;
}

export function selects(selector: LabelSelector, labels: Record<string, string>): boolean {
  const wanted = Object.entries(selector.matchLabels ?? {});
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => {
      const value = labels[key];
      const listed = value !== undefined && (values ?? []).includes(value);
      const answers: Record<string, boolean> = {
        In: listed,
        NotIn: !listed,
        Exists: value !== undefined,
        DoesNotExist: value === undefined,
      };
      return answers[operator] ?? false;
    })
  );
}

/** In the notation of kubectl: `app.kubernetes.io/name=gateway`. */
export function describeSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (matchExpressions ?? []).map(
    ({ key, operator, values }) => `${key} ${operator}${values ? ` (${values.join(', ')})` : ''}`,
  );
  return [...labels, ...expressions].join(', ') || 'everything';
}
