import { existsSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import { compiledPath } from './compiled-path.js';

/** Options of AVA whose value is the next argument. */
const withValue = new Set(['-c', '--concurrency', '-m', '--match', '-T', '--timeout']);

/**
 * The arguments that are paths or patterns and select no compiled test, each with the reason in one line. AVA would run the other
 * arguments and succeed.
 */
export function unmatchedPaths(args: readonly string[], root: string): string[] {
  return args.flatMap((arg, index) => {
    if (arg.startsWith('-') || withValue.has(args[index - 1] ?? '')) return [];
    // AVA accepts the lines of tests: file.test.ts:12,20-30
    const path = arg.replace(/:[\d,-]+$/, '');
    const compiled = compiledPath(path, root);
    const pattern = /\.js$|[*?[{]/.test(compiled) ? compiled : `${compiled}/**/*.test.js`;
    const files = globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' });
    if (files.some((file) => file.endsWith('.test.js'))) return [];
    return [
      existsSync(resolve(root, path)) ? `${arg} contains no test.` : `${arg} matches no test.`,
    ];
  });
}
