import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The compiled counterpart of a source file or directory of a package. Any other argument is returned unchanged. */
export function compiledPath(arg: string, root: string): string {
  const source = resolve(root, arg);
  if (arg.startsWith('-') || !existsSync(source)) return arg;

  const home = packageDirectory(source);
  const inside = relative(home, source);
  const compiled =
    inside.split(sep)[0] === 'dist' || home === resolve(root) ? source : join(home, 'dist', inside);
  return relative(root, compiled.replace(/\.ts$/, '.js'));
}

/** The source of a compiled file, both relative to the root. */
export const sourcePath = (compiled: string): string =>
  compiled.replace('dist/', '').replace(/js$/, 'ts');

function packageDirectory(path: string): string {
  return existsSync(join(path, 'package.json')) ? path : packageDirectory(dirname(path));
}
