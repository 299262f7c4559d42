import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BundledPackage } from './packages.js';

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
}

/**
 * The contents that the image adds to its base, as CycloneDX 1.6: the bundled packages, as in package-lock.json. It
 * has no serial number and no time, so that the same commit results in the same image.
 */
export function bom(root: string, packages: readonly BundledPackage[]): object {
  const product = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const self = `pkg:npm/${product.name}@${product.version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: product.name,
        version: product.version,
        description: product.description,
        purl: self,
        licenses: [{ license: { id: product.license } }],
      },
    },
    components: packages.map(component),
    dependencies: [{ ref: self, dependsOn: packages.map(purl) }],
  };
}

function component(one: BundledPackage): object {
  const { name, version, license, integrity } = one;
  return {
    type: 'library',
    'bom-ref': purl(one),
    name,
    version,
    purl: purl(one),
    ...(license ? { licenses: [licenceOf(license)] } : {}),
    ...(integrity ? { hashes: integrity.split(' ').map(hash) } : {}),
  };
}

/** https://github.com/package-url/purl-spec: the scope is the namespace, and its @ is encoded. */
const purl = ({ name, version }: BundledPackage): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** An SPDX identifier, or an expression of several. */
const licenceOf = (license: string): object =>
  /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };

/** `sha512-<base64>`, the format of npm. */
function hash(integrity: string): object {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  return {
    alg: algorithm.replace('sha', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}
