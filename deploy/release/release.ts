/**
 * `npm run release -- --to registry.example.com/roster`: image for two platforms, SBOM, provenance, chart and manifests, signed with
 * `--key`. README.md describes it.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { buildKustomization, findKustomize, type Kustomize } from '@roster/kubernetes/kustomize';
import { parse, parseAllDocuments, stringify } from 'yaml';

import { makeRelease } from './make-release.js';
import { Registry } from './oci/registry.js';
import { sign } from './sign.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const manifests = join(root, 'deploy/kubernetes');

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    key: { type: 'string' },
    base: { type: 'string', default: 'docker.io/library/node:24-bookworm-slim' },
    platforms: { type: 'string', default: 'linux/amd64,linux/arm64' },
    /** Releases a commit that is not the one of a release: for a registry of your own. */
    unreleased: { type: 'boolean', default: false },
  },
});

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { to, key, base, platforms, unreleased } = values;
  if (to === undefined)
    throw new Error('Name the image: npm run release -- --to registry.example.com/roster');
  const { version, description, repository } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as { version: string; description: string; repository?: string };
  if (git('status', '--porcelain') !== '')
    throw new Error(
      'Commit or remove the changes of this checkout: a release is made from a commit.',
    );
  const [, date] =
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - (.+)$`, 'm').exec(
      readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    ) ?? [];
  if (!unreleased && !/^\d{4}-\d\d-\d\d$/.test(date ?? ''))
    throw new Error(`Give ${version} its date in CHANGELOG.md, or release it with --unreleased.`);
  const kustomize = await findKustomize();
  if (!kustomize)
    throw new Error('The chart is made with kubectl or kustomize, or Go to build it.');
  const [revision = '', seconds] = git('log', '-1', '--format=%H %ct').split(' ');
  const published = await makeRelease({
    registry: new Registry(credentialsOf),
    image: to,
    base,
    platforms: platforms.split(','),
    version: unreleased ? `${version}-${revision.slice(0, 12)}` : version,
    description,
    source: repository,
    revision,
    seconds: Number(seconds),
    root,
    build: (components) => buildWith(kustomize, components),
    components: globSync('**/kustomization.yaml', { cwd: join(manifests, 'components') })
      .map(dirname)
      .toSorted(),
    print: (line) => console.log(line),
  });
  if (key === undefined) {
    console.log('Nothing is signed: name a key with --key.');
    return;
  }
  const sbom = join(root, 'deploy/image/dist/sbom.cdx.json');
  await sign(process.env.COSIGN ?? 'cosign', key, published, sbom);
  console.log('Signed. The README of deploy/release has the commands that verify it.');
}

async function buildWith(kustomize: Kustomize, components: readonly string[]): Promise<object[]> {
  await mkdir(join(manifests, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(manifests, 'dist', 'release-'));
  try {
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: 'roster',
      buildMetadata: ['originAnnotations'],
      resources: [relative(folder, join(manifests, 'base'))],
      components: components.map((name) => relative(folder, join(manifests, 'components', name))),
    };
    await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization));
    const text = await buildKustomization(kustomize, folder);
    return parseAllDocuments(text).map((document) => document.toJS() as object);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Those of `docker login`, `podman login` and `helm registry login`, if they are kept in a file. */
function credentialsOf(host: string): string | undefined {
  const files = [
    process.env.REGISTRY_AUTH_FILE,
    join(process.env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json'),
    process.env.XDG_RUNTIME_DIR && join(process.env.XDG_RUNTIME_DIR, 'containers/auth.json'),
  ];
  for (const file of files) {
    if (!file) continue;
    try {
      const { auths } = parse(readFileSync(file, 'utf8')) as {
        auths?: Record<string, { auth?: string }>;
      };
      const auth = auths?.[host]?.auth;
      if (auth) return `Basic ${auth}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
