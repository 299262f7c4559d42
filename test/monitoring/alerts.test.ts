import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { parse, stringify } from 'yaml';
import { promtool } from './promtool.js';
import { repository } from './repository.js';
import { alerts, prometheusRules, type Alert, type Recording } from './rules.js';

/** Series and expected alerts, in the format of `promtool test rules`. */
const cases = repository('test/monitoring/alerts/');

interface CaseFile {
  tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
}

test('Prometheus accepts the rules', async (t) => {
  const directory = await plainRules(t, (rule) => rule);
  await onlyWithPromtool(t, async (promtool) => {
    for (const name of prometheusRules.keys()) {
      const { passed, output } = await promtool(directory, 'check', 'rules', `rules/${name}.yaml`);
      t.true(passed, output);
      // Linter findings do not change the exit code.
      t.notRegex(output, /FAILED/);
    }
  });
});

test('each alert fires only on its series, with the expected annotations', async (t) => {
  t.timeout(180_000);
  // The other annotations do not depend on the series.
  const directory = await plainRules(t, (rule) =>
    'alert' in rule
      ? { ...rule, annotations: { description: rule.annotations['description']! } }
      : rule,
  );
  await onlyWithPromtool(t, async (promtool) => {
    for (const name of prometheusRules.keys()) {
      await writeFile(join(directory, `${name}.yaml`), await readFile(`${cases}${name}.yaml`));
      const { passed, output } = await promtool(directory, 'test', 'rules', `${name}.yaml`);
      t.true(passed, output);
    }
  });
});

test('each alert has a case in which it fires and one in which it does not', async (t) => {
  const fired = new Set<string>();
  const silent = new Set<string>();
  for (const file of await readdir(cases)) {
    const { tests } = parse(await readFile(cases + file, 'utf8')) as CaseFile;
    for (const { alertname, exp_alerts } of tests.flatMap((each) => each.alert_rule_test)) {
      (exp_alerts.length > 0 ? fired : silent).add(alertname);
    }
  }
  const names = alerts.map(({ alert }) => alert).toSorted();
  t.deepEqual([...fired].toSorted(), names);
  t.deepEqual([...silent].toSorted(), names);
});

test('each alert has a unique name, a severity, a summary and a description', (t) => {
  t.is(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  for (const { alert, labels, annotations } of alerts) {
    t.regex(alert, /^Roster[A-Z]\w+$/);
    t.true(['critical', 'warning'].includes(labels['severity']!), alert);
    t.regex(annotations['summary']!, /^[A-Z].+\.$/, alert);
    t.regex(annotations['description']!, /\$labels\.namespace/, alert);
  }
});

/** The rule files, extracted for Prometheus into the folder `rules` of a temporary directory. */
async function plainRules(
  t: ExecutionContext,
  change: (rule: Alert | Recording) => Alert | Recording,
): Promise<string> {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'rules'));
  for (const [name, { spec }] of prometheusRules) {
    const groups = spec.groups.map((group) => ({ ...group, rules: group.rules.map(change) }));
    await writeFile(join(directory, 'rules', `${name}.yaml`), stringify({ groups }));
  }
  return directory;
}

async function onlyWithPromtool(
  t: ExecutionContext,
  work: (run: NonNullable<typeof promtool>) => Promise<void>,
): Promise<void> {
  if (promtool) return work(promtool);
  t.log(
    'no promtool here (Debian: package prometheus): set PROMTOOL to its path, or put it on the PATH',
  );
  t.pass();
}
