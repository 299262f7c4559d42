import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseVersion, serviceNames } from '@roster/contracts';
import { formerRelease } from '@roster/testing';
import test from 'ava';
import { root } from '../cluster/release.js';
import { readContracts } from './read-contracts.js';

const directory = join(root, 'test/former/release');

/**
 * RECORD_FORMER=1 records what the next release is compared with, after a release and before the version is raised. The commit
 * checked out is that of the release.
 */
test('the former release is recorded, and its commit is known', (t) => {
  if (process.env['RECORD_FORMER']) record();
  t.regex(formerRelease.commit, /^[0-9a-f]{40}$/);
});

function record(): void {
  mkdirSync(join(directory, 'schemas'), { recursive: true });
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  write('release.json', { version: releaseVersion, commit });
  write('contracts.json', readContracts());
  copy('deploy/local/test/migrations.sha256.json', 'migrations.sha256.json');
  copy('gateway/schema.graphql', 'schema.graphql');
  for (const service of serviceNames)
    copy(`services/${service}/migrations/schema.sql`, `schemas/${service}.sql`);
}

const write = (name: string, content: unknown): void =>
  writeFileSync(join(directory, name), `${JSON.stringify(content, undefined, 1)}\n`);

const copy = (from: string, name: string): void => cpSync(join(root, from), join(directory, name));
