import { existsSync } from 'node:fs';
import { glob, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes compiled tests whose source was deleted: the compiler keeps them, and they would still run. */
export async function removeOrphanedTests(root: string): Promise<void> {
  const compiled = glob('{libs,services,deploy}/*/dist/**/*.test.js', { cwd: root });
  const compiledAtTop = glob('{gateway,test}/dist/**/*.test.js', { cwd: root });
  for (const found of [compiled, compiledAtTop]) {
    for await (const file of found) {
      const source = join(root, file.replace(/\/dist\//, '/').replace(/\.js$/, '.ts'));
      if (existsSync(source)) continue;
      const stem = join(root, file.replace(/\.js$/, ''));
      for (const ending of ['.js', '.js.map', '.d.ts']) await rm(stem + ending, { force: true });
    }
  }
}
