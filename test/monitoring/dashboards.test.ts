import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { dashboards } from './dashboards.js';
import { repository } from './repository.js';

interface Kustomization {
  configMapGenerator: { name: string; files: string[]; options: object }[];
}

test('the component contains every dashboard in a ConfigMap with the label for Grafana', (t) => {
  const { configMapGenerator } = parse(
    readFileSync(repository('deploy/kubernetes/components/monitoring/kustomization.yaml'), 'utf8'),
  ) as Kustomization;
  t.deepEqual(
    configMapGenerator.flatMap(({ files }) => files).toSorted(),
    [...dashboards.keys()].map((file) => `dashboards/${file}`),
  );
  for (const { options } of configMapGenerator) {
    t.like(options, { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } });
  }
});

test('dashboards have unique IDs, and variables for the data source and the namespace', (t) => {
  const all = [...dashboards.values()];
  t.true(all.length > 0);
  t.is(new Set(all.map(({ uid }) => uid)).size, all.length);
  for (const { title, tags, templating } of all) {
    t.regex(title, /^Roster: /);
    t.deepEqual(tags, ['roster']);
    const [datasource, namespace] = templating.list;
    t.like(datasource, { name: 'datasource', type: 'datasource', query: 'prometheus' }, title);
    t.like(namespace, { name: 'namespace', type: 'query' }, title);
  }
});

test('panels have unique IDs and positions, queries of the selected namespace, and a unit', (t) => {
  for (const [file, { panels }] of dashboards) {
    t.is(new Set(panels.map(({ id }) => id)).size, panels.length, file);
    const taken = new Set<string>();
    for (const { type, title, description, gridPos, datasource, fieldConfig, targets } of panels) {
      const panel = `${file}: ${title}`;
      t.true(gridPos.x + gridPos.w <= 24, panel);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          t.false(taken.has(`${x} ${y}`), `${panel} overlaps another panel`);
          taken.add(`${x} ${y}`);
        }
      }
      if (type === 'row') continue;
      t.truthy(description, panel);
      t.truthy(fieldConfig!.defaults.unit, panel);
      t.is(datasource!.uid, '${datasource}', panel);
      t.true(targets!.length > 0, panel);
      t.is(new Set(targets!.map(({ refId }) => refId)).size, targets!.length, panel);
      for (const target of targets!) {
        t.is(target.datasource.uid, '${datasource}', panel);
        t.regex(target.expr, /namespace="\$namespace"/, panel);
      }
    }
  }
});
