import test from 'ava';
import { allQueries } from './all-queries.js';
import { asSent, dashboards } from './dashboards.js';
import { labelsOf } from './known-metrics.js';
import { inspectQuery } from './promql.js';
import { alerts } from './rules.js';

/** Labels that the rule of an alert adds to those of its series. */
const givenLabels = ['severity', 'alertname'];

test('rules, dashboards and runbooks use exported metrics and labels', (t) => {
  const queries = allQueries();
  t.true(queries.length > 100);
  for (const { where, query } of queries) {
    t.deepEqual(inspectQuery(query, labelsOf).problems, [], where);
  }
});

test('annotations of alerts use labels of the alert', (t) => {
  for (const { alert, expr, annotations } of alerts) {
    const { labels } = inspectQuery(expr, labelsOf);
    for (const text of Object.values(annotations)) {
      for (const [, label] of text.matchAll(/\$labels\.(\w+)/g)) {
        t.true(labels.has(label!) || givenLabels.includes(label!), `${alert}: ${label}`);
      }
    }
  }
});

test('legends and variables of dashboards use existing labels', (t) => {
  for (const [file, { panels, templating }] of dashboards) {
    for (const { title, targets = [] } of panels) {
      for (const { expr, legendFormat = '' } of targets) {
        const { labels } = inspectQuery(asSent(expr), labelsOf);
        for (const [, label] of legendFormat.matchAll(/\{\{\s*(\w+)\s*\}\}/g)) {
          t.true(labels.has(label!), `${file}: ${title}: the legend's ${label}`);
        }
      }
    }
    for (const { type, query } of templating.list) {
      if (type !== 'query') continue;
      const text = typeof query === 'string' ? query : query.query;
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(text) ?? [];
      const { labels, problems } = inspectQuery(selector, labelsOf);
      t.deepEqual(problems, [], `${file}: ${text}`);
      t.true(labels.has(label), `${file}: ${text}`);
    }
  }
});

test('a query with an unknown metric or label is a finding', (t) => {
  const problemsOf = (query: string) => inspectQuery(query, labelsOf).problems;
  t.deepEqual(problemsOf('sum by (namespace) (rate(roster_http_requests_total[5m]))'), []);
  t.deepEqual(problemsOf('rate(roster_http_request_total[5m])'), [
    'no process exports roster_http_request_total',
  ]);
  t.deepEqual(problemsOf('roster_outbox_events{operation="x"}'), [
    'roster_outbox_events has no label operation',
  ]);
  t.is(problemsOf('sum by (operation) (sum by (namespace) (roster_ready))').length, 1);
  t.is(problemsOf('roster_ready and on (operation) roster_http_requests_total').length, 1);
  t.is(problemsOf('roster_http_request_duration_seconds').length, 1);
  t.is(problemsOf('sum(roster_ready').length, 1);
});
