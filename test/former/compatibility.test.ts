import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseVersion } from '@roster/contracts';
import test from 'ava';
import { root } from '../cluster/release.js';

test('code for a former release says until which version it stays, and is gone in that version', (t) => {
  const files = ['libs', 'services', 'gateway', 'deploy'].flatMap(sourcesIn);
  t.true(files.length > 500);
  const problems = files.flatMap((file) =>
    expired(readFileSync(join(root, file), 'utf8'), releaseVersion).map((why) => `${file}: ${why}`),
  );
  t.deepEqual(problems, []);
});

test('finds compatibility without an end, and compatibility that has ended', (t) => {
  t.deepEqual(expired('// Of the previous release.\nrun();', '0.3.0'), [
    'name the version that this is needed until: Of the previous release.',
  ]);
  t.deepEqual(expired('/**\n * Until 0.4.0: a former\n * release omits it.\n */', '0.3.0'), []);
  t.deepEqual(expired('// Until 0.4.0: sent by 0.3.0.', '0.4.0'), [
    'remove what was needed until 0.4.0: Until 0.4.0: sent by 0.3.0.',
  ]);
  t.deepEqual(expired('// Until 0.10.0: sent by 0.9.0.', '0.9.1'), []);
});

/** Production sources. Migrations stay as they were released; `test` and `libs/testing` compare releases. */
const sourcesIn = (directory: string): string[] =>
  readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isFile()) return /\.m?ts$/.test(entry.name) ? [path] : [];
    const isOther = ['dist', 'node_modules', 'test', 'testing', 'migrations'].includes(entry.name);
    return isOther ? [] : sourcesIn(path);
  });

function expired(source: string, version: string): string[] {
  return commentsIn(source).flatMap((comment) => {
    const ends = [...comment.matchAll(/\buntil (\d+\.\d+\.\d+)\b/gi)].map(([, end]) => end!);
    if (ends.length === 0)
      return /\b(former|previous|older) releases?\b/i.test(comment)
        ? [`name the version that this is needed until: ${comment}`]
        : [];
    return ends
      .filter((end) => end.localeCompare(version, 'en', { numeric: true }) <= 0)
      .map((end) => `remove what was needed until ${end}: ${comment}`);
  });
}

/** The text of each block comment, and of each run of line comments. */
const commentsIn = (source: string): string[] =>
  [...source.matchAll(/\/\*.*?\*\/|(?:^[ \t]*\/\/[^\n]*\n?)+|\/\/[^\n]*/gms)].map(([comment]) =>
    comment
      .replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)|\*\/$/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
