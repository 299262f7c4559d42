import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BundledPackage } from './bundled-packages.js';

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
