import { spawnSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';

const python = process.env['PYTHON'] ?? 'python3';

/** The interpreter that has a module. Undefined, with one line that says so, where it is not installed: a test downloads nothing. */
export function pythonWith(module: string, t: ExecutionContext): string | undefined {
  if (spawnSync(python, ['-c', `import ${module}`]).status === 0) return python;
  t.log(`not tested here: install the Python package ${module}, or set PYTHON`);
  t.pass();
  return undefined;
}
