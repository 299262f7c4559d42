import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of package-lock.json. */
export interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
}

export interface BundledPackage extends LockedPackage {
  name: string;
  /** Its directory relative to the root of the repository, as in package-lock.json. */
  path: string;
}

/** The third-party packages of the bundled files (paths relative to the root): sorted, once per version. */
export function bundledPackages(root: string, files: readonly string[]): BundledPackage[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const paths = new Set(files.flatMap((file) => packagePath(file) ?? []));
  const found = [...paths].map((path): BundledPackage => {
    const locked = packages[path];
    if (!locked) throw new Error(`${path} is bundled, but not listed in package-lock.json.`);
    return { ...locked, path, name: path.slice(path.lastIndexOf('node_modules/') + 13) };
  });
  const byName = new Map(found.map((one) => [`${one.name}@${one.version}`, one]));
  return [...byName.keys()].toSorted().map((key) => byName.get(key)!);
}

/** `node_modules/a/node_modules/@b/c` for `node_modules/a/node_modules/@b/c/d.js`. */
function packagePath(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

const isLicence = (file: string): boolean => /^(licen[cs]e|copying|notice)/i.test(file);

/** The licence and notice files of each package, which bundling omits but redistribution requires. */
export function licenceTexts(root: string, packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, path }) => {
      const texts = readdirSync(join(root, path))
        .filter(isLicence)
        .toSorted()
        .map((file) => readFileSync(join(root, path, file), 'utf8').trim());
      if (texts.length === 0) texts.push('The package does not contain the text of its licence.');
      return [`${name} ${version}: ${license ?? 'licence not declared'}`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n');
}
