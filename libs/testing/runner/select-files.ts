import { existsSync, globSync } from 'node:fs';
import { relative, resolve } from 'node:path';

import { compiledPath } from './compiled-path.js';
import { compiledLongFiles } from './long-files.js';

export interface Selection {
  /** Compiled test files, relative to the root. */
  files: string[];
  /** Files of which some tests are named by their lines, as AVA accepts them: `file.test.js:12,20-30`. */
  lines: string[];
  /** Options of AVA. */
  options: string[];
  /** A line for each path or pattern that selects no compiled test. AVA would run the other arguments and succeed. */
  problems: string[];
}

/** Options of AVA whose value is the next argument. */
const withValue = new Set(['-c', '--concurrency', '-m', '--match', '-T', '--timeout']);

/** The tests that the arguments of `npm test` name, by their source or compiled files, folders or patterns. */
export function selectFiles(args: readonly string[], root: string): Selection {
  const files = new Set<string>();
  const lines: string[] = [];
  const options: string[] = [];
  const problems: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (arg.startsWith('-') || withValue.has(args[index - 1] ?? '')) {
      options.push(arg);
      continue;
    }
    const path = arg.replace(/:[\d,-]+$/, '');
    const compiled = compiledPath(path, root);
    const pattern = /\.js$|[*?[{]/.test(compiled) ? compiled : `${compiled}/**/*.test.js`;
    const found = compiledTests(pattern, root);
    if (found.length === 0)
      problems.push(
        existsSync(resolve(root, path)) ? `${arg} contains no test.` : `${arg} matches no test.`,
      );
    else if (path !== arg) lines.push(compiled + arg.slice(path.length));
    else for (const file of found) files.add(file);
  }
  return { files: [...files], lines, options, problems };
}

/** All compiled test files, or all but the long ones. */
export function allFiles(root: string, withLong: boolean): string[] {
  const files = compiledTests('{{libs,services,deploy}/*,gateway,test}/dist/**/*.test.js', root);
  if (withLong) return files;
  const long = new Set(globSync([...compiledLongFiles], { cwd: root }));
  return files.filter((file) => !long.has(file));
}

const compiledTests = (pattern: string, root: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => relative(root, resolve(root, file)));
