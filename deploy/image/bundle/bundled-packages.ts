import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What package-lock.json says of a package. */
export interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
}

export interface BundledPackage extends LockedPackage {
  name: string;
  /** Its directory, from the root of the repository, as package-lock.json names it. */
  path: string;
}

/** The packages of other authors that files in the bundles, named from the root, belong to: in order, once per version. */
export function bundledPackages(root: string, files: readonly string[]): BundledPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const paths = new Set(files.flatMap((file) => packagePath(file) ?? []));
  const found = [...paths].map((path): BundledPackage => {
    const locked = packages[path];
    if (!locked) throw new Error(`${path} is bundled, and package-lock.json does not name it.`);
    return { ...locked, path, name: path.slice(path.lastIndexOf('node_modules/') + 13) };
  });
  const byName = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...byName.keys()].toSorted().map((key) => byName.get(key)!);
}

/** `node_modules/a/node_modules/@b/c` of `node_modules/a/node_modules/@b/c/d.js`. */
function packagePath(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}
