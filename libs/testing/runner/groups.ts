import { globSync } from 'node:fs';

import { compiledLongFiles } from './long-files.js';
import { waiting, weightOf, wholeMachine } from './weight-of.js';

/** More would run longer at the end of a run, when nothing runs beside them. Fewer of those that run the whole system. */
const filesMax = (file: string): number => (weightOf(file) === 1 ? 12 : 4);

/** Compiled files that change what others in their process use. */
export const alone: readonly string[] = [];

/**
 * Divides compiled test files, by paths relative to the root, into groups, whose files run one after another in one process. A
 * typical file takes a second of processor time to start a process, import a thousand modules and run code that is not compiled yet. The
 * files of a group are of one package. Those that occupy the machine, wait or take minutes are groups of their own.
 */
export function groupsOf(files: readonly string[], root: string): string[][] {
  const long = globSync([...compiledLongFiles], { cwd: root });
  const single = new Set([...alone, ...waiting, ...wholeMachine, ...long]);
  const kinds = Object.groupBy(files.toSorted(), (file) =>
    single.has(file) ? file : file.slice(0, file.indexOf('dist/')),
  );
  return Object.values(kinds).flatMap((kind) => evenly(kind!));
}

function evenly(files: readonly string[]): string[][] {
  const size = Math.ceil(files.length / Math.ceil(files.length / filesMax(files[0]!)));
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  );
}
