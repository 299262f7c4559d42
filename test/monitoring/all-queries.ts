import { asSent, dashboards } from './dashboards.js';
import { alerts, recordings } from './rules.js';
import { runbooks } from './runbooks.js';

/** Every query of the rules, dashboards and runbooks, as Prometheus receives it. */
export function allQueries(): { where: string; query: string }[] {
  return [
    ...recordings.map(({ record, expr }) => ({ where: record, query: expr })),
    ...alerts.map(({ alert, expr }) => ({ where: alert, query: expr })),
    ...[...dashboards].flatMap(([file, { panels }]) =>
      panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => ({ where: `${file}: ${title}`, query: asSent(expr) })),
      ),
    ),
    ...runbooks.flatMap(({ name, promql }) => promql.map((query) => ({ where: name, query }))),
  ];
}
