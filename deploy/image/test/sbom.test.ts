import { readFileSync } from 'node:fs';

import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import test from 'ava';

interface Component {
  type: string;
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  licenses?: ({ license: { id: string } } | { expression: string })[];
  hashes?: { alg: string; content: string }[];
}
interface Bom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const bom = read('../sbom.cdx.json') as Bom;
const { packages } = read('../../../../package-lock.json') as {
  packages: Record<string, { version?: string; integrity?: string }>;
};

/** Checksums of the versions of a package in package-lock.json. */
const locked = new Map(
  Object.entries(packages).map(([path, { version, integrity }]) => [
    `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`,
    integrity,
  ]),
);

const validator = new JsonStrictValidator(Version.v1dot6);
/** Violations of the JSON schema of CycloneDX 1.6 in its strict form: unknown fields are violations. */
const violations = (sbom: object) => validator.validate(JSON.stringify(sbom));

test('the SBOM conforms to the JSON schema of CycloneDX 1.6', async (t) => {
  t.is(await violations(bom), null);
});

const [first, ...others] = bom.components;
/** Changes that make the SBOM invalid. */
const broken = {
  'of another format': { bomFormat: 'SPDX' },
  'with an unknown field': { createdBy: 'roster' },
  'with a component twice': { components: [first, first, ...others] },
  'with a component without a name': { components: [{ ...first, name: undefined }] },
  'with an unknown type of component': { components: [{ ...first, type: 'package' }] },
  'with an unknown licence': { components: [{ ...first, licenses: [{ license: { id: 'MTI' } }] }] },
  'with a checksum in base64': {
    components: [{ ...first, hashes: [{ alg: 'SHA-512', content: 'RIT28sp1U0PCHaaeF3yNRw==' }] }],
  },
  'with an unknown digest': {
    components: [{ ...first, hashes: [{ alg: 'SHA512', content: 'ab'.repeat(64) }] }],
  },
  'with a dependency that is no reference': { dependencies: [{ ref: 1 }] },
};
for (const [name, change] of Object.entries(broken)) {
  test(`an SBOM ${name} violates the schema`, async (t) => {
    t.truthy(await violations({ ...bom, ...change }));
  });
}

test('the SBOM identifies its format, the product, and each component once', (t) => {
  t.like(bom, { bomFormat: 'CycloneDX', specVersion: '1.6' });
  const { component } = bom.metadata;
  const all = [component, ...bom.components];
  t.is(new Set(all.map((one) => one['bom-ref'])).size, all.length);
  for (const { type, name, version, purl } of bom.components) {
    t.is(type, 'library', name);
    t.is(purl, `pkg:npm/${name.replace('@', '%40')}@${version}`);
  }
});

test('every component has the checksum of package-lock.json', (t) => {
  t.true(bom.components.length > 50);
  for (const { name, version, hashes = [] } of bom.components) {
    const checksums = hashes.map(({ alg, content }) => {
      const base64 = Buffer.from(content, 'hex').toString('base64');
      return `${alg.replace('SHA-', 'sha')}-${base64}`;
    });
    t.is(checksums.join(' '), locked.get(`${name}@${version}`)!, name);
  }
});

test('every component has a licence that permits redistribution', (t) => {
  const permitted =
    /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|OFL-1\.1)\b/;
  for (const { name, licenses = [] } of bom.components) {
    const [licence] = licenses;
    const text = licence && ('license' in licence ? licence.license.id : licence.expression);
    t.regex(text ?? '', permitted, name);
  }
});

test('its dependencies refer to its components only, and to each of them', (t) => {
  const refs = bom.dependencies.flatMap(({ dependsOn }) => dependsOn);
  t.deepEqual(new Set(refs), new Set(bom.components.map((one) => one['bom-ref'])));
  t.deepEqual(
    bom.dependencies.map(({ ref }) => ref),
    [bom.metadata.component['bom-ref']],
  );
});
