import test from 'ava';
import { alerts } from './rules.js';
import { runbooks } from './runbooks.js';

const index = runbooks.find(({ name }) => name === 'README')!;
const pages = runbooks.filter((page) => page !== index);

test('each alert links to its page, and each page belongs to an alert', (t) => {
  for (const { alert, annotations } of alerts) {
    t.is(annotations['runbook_url'], `deploy/runbooks/${alert}.md`);
  }
  t.deepEqual(
    pages.map(({ name }) => name),
    alerts.map(({ alert }) => alert).toSorted(),
  );
});

test('each page has the sections Symptom, Meaning, Queries, Remedy and Resolved when', (t) => {
  for (const { name, text, promql } of pages) {
    t.deepEqual(
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading),
      [name, 'Symptom', 'Meaning', 'Queries', 'Remedy', 'Resolved when'],
    );
    t.true(promql.length > 0, name);
  }
});

test('the index lists every page with the severity of its alert', (t) => {
  for (const { alert, labels } of alerts) {
    t.true(
      index.text.includes(`| [${alert}](${alert}.md) | ${labels['severity']} |`),
      `${alert} ${labels['severity']}`,
    );
  }
});
