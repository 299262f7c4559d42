import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BundledPackage } from './bundled-packages.js';

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
}

/**
 * What is in the image beside its base, as CycloneDX 1.6: the packages in the bundles, as package-lock.json names them. Without
 * the serial number and the time that such documents usually have: the same commit makes the same image.
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

/** An SPDX id, or an expression of several. */
const licenceOf = (license: string): object =>
  /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };

/** `sha512-<base64>`, as npm writes it. */
function hash(integrity: string): object {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  return {
    alg: algorithm.replace('sha', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}
