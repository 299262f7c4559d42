/** What an operator reads before an upgrade: CHANGELOG.md and the notes in deploy/README.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sqlOf } from '@roster/storage';
import { formerRelease, readFormer } from '@roster/testing';
import { releaseVersion } from '@roster/contracts';
import test from 'ava';

import { migrations } from '../database/with-database.js';
import { root } from '../home.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The section of a Markdown text below a heading, up to the next one of its level. */
function section(text: string, heading: string): string {
  const level = heading.split(' ')[0]!;
  const [, after = ''] = text.split(`\n${heading}\n`);
  return after.split(new RegExp(`\n#{1,${level.length}} `))[0]!;
}

test('the changelog begins with this version, and dates the former ones', (t) => {
  const text = read('CHANGELOG.md');
  const entries = [...text.matchAll(/^## \[(.+)\] - (.+)$/gm)].map(([, version, date]) => ({
    version: version!,
    date: date!,
  }));
  t.is(entries.length, [...text.matchAll(/^## /gm)].length, 'a heading is `## [version] - date`');
  t.is(entries[0]?.version, releaseVersion);
  t.is(entries[1]?.version, formerRelease.version);
  const versions = entries.map(({ version }) => version);
  const descending = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  t.deepEqual(versions, descending);
  for (const { version, date } of entries)
    t.regex(
      date,
      version === releaseVersion ? /^(unreleased|\d{4}-\d\d-\d\d)$/ : /^\d{4}-\d\d-\d\d$/,
    );
  const kinds = new Set([...text.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind));
  for (const kind of kinds)
    t.true(
      ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].includes(kind!),
      kind,
    );
});

test('each deprecation states since when, until when at least six months later, and what replaces it', (t) => {
  t.deepEqual(undated(read('CHANGELOG.md')), []);
  const [good, ...bad] = [
    '- `one` (since 2026-11-28, until 2027-06-01): send `two`.',
    '- `one` (since 2026-11-28, until 2027-01-01): send `two`.',
    '- `one` (since 2026-11-28): send `two`.',
    '- `one` (since 2026-11-28, until 2027-06-01)',
  ];
  t.deepEqual(
    undated(`### Deprecated\n\n${[good, ...bad].join('\n')}\n\n### Added\n\n- \`x\`\n`),
    bad,
  );
});

/** The entries below `Deprecated` that lack one of them. */
function undated(changelog: string): string[] {
  const lists = [...changelog.matchAll(/^### Deprecated\n+((?:- .*\n)+)/gm)];
  const lines = lists.flatMap(([, list]) => list!.trim().split('\n'));
  return lines.filter((line) => {
    const dates = /^- .+ \(since (\d{4}-\d\d-\d\d), until (\d{4}-\d\d-\d\d)\): .+/.exec(line);
    if (!dates) return true;
    return Date.parse(dates[2]!) - Date.parse(dates[1]!) < 180 * 86_400_000;
  });
}

test('the upgrade notes of this version name each migration that reads a whole table', async (t) => {
  const notes = section(read('deploy/README.md'), `### To ${releaseVersion}`);
  t.regex(notes, new RegExp(`From ${formerRelease.version.replaceAll('.', '\\.')}`));
  const released = JSON.parse(readFormer('migrations.sha256.json')) as Record<string, object>;
  const expected: string[] = [];
  for (const [service, all] of Object.entries(migrations))
    for (const migration of all) {
      if (migration.name in released[service]!) continue;
      const { statements, inTransaction } = await sqlOf(migration);
      // Outside a transaction are indexes of large tables, and what is done in parts. The checkpoint is one row.
      const takesTime = statements.some((sql) =>
        inTransaction
          ? /^\s*update (?!\w+\.outbox_checkpoint)/i.test(sql)
          : !/^\s*drop index /i.test(sql),
      );
      if (takesTime) expected.push(`${service}/${migration.name}`);
    }
  const named = [...notes.matchAll(/^\| `([a-z]+\/[\w-]+)` \|/gm)].map(([, name]) => name!);
  t.deepEqual(named.toSorted(), expected.toSorted());
});
