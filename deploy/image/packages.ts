import { readFileSync, readdirSync } from 'node:fs';
import { join, dirname, relative } from 'node:path';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';

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

/**
 * Files that the gateway reads and sends (gateway/graphql/graphiql, gateway/pages), found relative to the package's
 * manifest.
 */
const files: Record<string, readonly string[]> = {
  graphiql: ['graphiql.min.js', 'graphiql.min.css'],
  '@roster/console': ['dist'],
  '@roster/docs': ['docs.js', 'guides.json', 'inter.woff2', 'pages.css', 'search.js'].map(
    (file) => `dist/${file}`,
  ),
  'graphql-sse': ['umd/graphql-sse.min.js'],
  react: ['umd/react.production.min.js'],
  'react-dom': ['umd/react-dom.production.min.js'],
};

/**
 * Copies files that cannot be bundled to the path where `require.resolve` of a bundle finds them. Resolves with the
 * manifests of their packages.
 */
export async function copyAssets(root: string, bundles: string): Promise<string[]> {
  const { resolve } = createRequire(join(root, 'gateway/package.json'));
  return Promise.all(
    Object.entries(files).map(async ([name, paths]) => {
      const manifest = resolve(`${name}/package.json`);
      const target = join(bundles, 'node_modules', name);
      for (const path of ['package.json', ...paths])
        await cp(join(dirname(manifest), path), join(target, path), { recursive: true });
      return relative(root, manifest);
    }),
  );
}
