/** Writes everything of a release to a registry: the image, what refers to it, the chart and the manifests. */
import { readFile } from 'node:fs/promises';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { generateChart, type Build } from '@roster/kubernetes/chart';
import { parse } from 'yaml';

import { writeArtifact } from './oci/artifact.js';
import { writeImage, type ImageSource } from './oci/image.js';
import {
  digestOf,
  mediaTypes,
  parseReference,
  type Descriptor,
  type Registry,
  type Repository,
} from './oci/registry.js';
import { gzip, tar, type TarFile } from './oci/tar.js';
import { provenance } from './provenance.js';

export interface Release {
  registry: Registry;
  /** The image without a tag. The chart and the manifests are in `charts/…` and `manifests/…` before its last name. */
  image: string;
  base: string;
  platforms: readonly string[];
  version: string;
  description: string;
  source: string | undefined;
  revision: string;
  /** The time of the commit: the same commit makes the same bytes. */
  seconds: number;
  /** The root of the repository, with the bundles of its build. */
  root: string;
  build: Build;
  components: readonly string[];
  print: (line: string) => void;
}

/** A name and digest that can be signed. */
export type Published = Record<'image' | 'chart' | 'manifests', string> & { provenance: object };

/**
 * Tags are written last, so that a release that was interrupted can be repeated.
 *
 * @throws Error if the version is there with other contents
 */
export async function makeRelease(release: Release): Promise<Published> {
  const { registry, image, version, root, print, seconds } = release;
  const to = parseReference(image);
  const created = new Date(seconds * 1000).toISOString();
  const labels = {
    'org.opencontainers.image.title': 'roster',
    'org.opencontainers.image.description': release.description,
    'org.opencontainers.image.licenses': 'MIT',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': release.revision,
    'org.opencontainers.image.created': created,
    ...(release.source !== undefined && { 'org.opencontainers.image.source': release.source }),
  };
  const base = parseReference(release.base);
  const { manifests, base: baseDigest } = await writeImage(registry, to, {
    base,
    platforms: release.platforms,
    layer: tar(imageFiles(root), seconds),
    settings: imageSettings(await readFile(join(root, 'deploy/image/Dockerfile'), 'utf8')),
    labels,
    created,
  });
  const index = {
    schemaVersion: 2 as const,
    mediaType: mediaTypes.index,
    manifests,
    annotations: labels,
  };
  const digest = digestOf(Buffer.from(JSON.stringify(index)));
  await refuseOther(registry, to, version, digest);
  const subject = await registry.writeManifest(to, index);

  const statement = provenance({
    image: nameOf(to),
    digest,
    revision: release.revision,
    source: release.source,
    base: { reference: release.base, digest: baseDigest },
    lockFile: digestOf(await readFile(join(root, 'package-lock.json'))),
    platforms: release.platforms,
  });
  const sbom = await readFile(join(root, 'deploy/image/dist/sbom.cdx.json'));
  for (const [mediaType, title, bytes] of [
    ['application/vnd.cyclonedx+json', 'sbom.cdx.json', sbom],
    ['application/vnd.in-toto+json', 'provenance.json', Buffer.from(JSON.stringify(statement))],
  ] as const)
    await writeArtifact(registry, to, {
      artifactType: mediaType,
      layer: { mediaType, bytes, title },
      annotations: { 'org.opencontainers.image.created': created },
      subject,
    });
  await registry.writeManifest(to, index, version);
  print(`image      ${nameOf(to)}:${version}@${digest}, ${release.platforms.join(', ')}`);

  const pinned = { repository: nameOf(to), digest };
  const chart = await writeChart(release, to, pinned, labels);
  print(`chart      oci://${chart.name}:${version}@${chart.digest}`);
  const kustomize = await writeManifests(release, to, pinned, labels);
  print(`manifests  oci://${kustomize.name}:${version}@${kustomize.digest}`);
  return {
    image: `${nameOf(to)}@${digest}`,
    chart: `${chart.name}@${chart.digest}`,
    manifests: `${kustomize.name}@${kustomize.digest}`,
    provenance: statement,
  };
}

type Pinned = { repository: string; digest: string };
type Written = Descriptor & { name: string };

async function writeChart(
  release: Release,
  image: Repository,
  pinned: Pinned,
  labels: Record<string, string>,
): Promise<Written> {
  const { version, description, root, seconds } = release;
  const { files } = await generateChart({
    build: release.build,
    components: release.components,
    version,
    description,
    image: pinned,
    environmentPage: await readFile(join(root, 'deploy/environment.md'), 'utf8'),
  });
  const archive = [...files].map(([path, text]) => ({
    path: `roster/${path}`,
    bytes: Buffer.from(text),
  }));
  return writeTagged(release, beside(image, 'charts'), {
    config: {
      mediaType: 'application/vnd.cncf.helm.config.v1+json',
      bytes: Buffer.from(JSON.stringify(parse(files.get('Chart.yaml')!))),
    },
    layer: {
      mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
      bytes: gzip(tar(archive, seconds)),
    },
    annotations: labels,
  });
}

/** With the image of this release in the overlay `production`, in the form that Flux reads (OCIRepository, `flux pull artifact`). */
async function writeManifests(
  release: Release,
  image: Repository,
  pinned: Pinned,
  labels: Record<string, string>,
): Promise<Written> {
  const folder = join(release.root, 'deploy/kubernetes');
  const files = globSync('{base,components,overlays}/**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = relative(folder, join(entry.parentPath, entry.name));
      const bytes = readFileSync(join(folder, path));
      const isProduction = path === 'overlays/production/kustomization.yaml';
      return { path, bytes: isProduction ? withImage(bytes, pinned, release.version) : bytes };
    });
  return writeTagged(release, beside(image, 'manifests'), {
    config: {
      mediaType: 'application/vnd.cncf.flux.config.v1+json',
      bytes: Buffer.from('{}'),
    },
    layer: {
      mediaType: 'application/vnd.cncf.flux.content.v1.tar+gzip',
      bytes: gzip(tar(files, release.seconds)),
    },
    annotations: labels,
  });
}

function withImage(overlay: Buffer, { repository, digest }: Pinned, version: string): Buffer {
  const text = overlay.toString();
  const changed = text.replace(
    /^( +)newName: .*\n +newTag: .*$/m,
    `$1newName: ${repository}\n$1newTag: ${version}\n$1digest: ${digest}`,
  );
  if (changed === text) throw new Error('The overlay production has no image.');
  // The tag follows the second colon if the registry's name has a port.
  const hasPort = /^[^/]+:\d+\//.test(repository);
  return Buffer.from(
    hasPort ? changed.replace("delimiter: ':', index: 1", "delimiter: ':', index: 2") : changed,
  );
}

async function writeTagged(
  { registry, version }: Release,
  to: Repository,
  artifact: Parameters<typeof writeArtifact>[2],
): Promise<Written> {
  const written = await writeArtifact(registry, to, artifact);
  await refuseOther(registry, to, version, written.digest);
  await writeArtifact(registry, to, artifact, version);
  return { ...written, name: nameOf(to) };
}

/** A tag that others may have pulled is not moved. */
async function refuseOther(
  registry: Registry,
  to: Repository,
  tag: string,
  digest: string,
): Promise<void> {
  const found = await registry.readManifest(to, tag);
  if (found && found.descriptor.digest !== digest)
    throw new Error(
      `${nameOf(to)}:${tag} is there with other contents (${found.descriptor.digest}, not ${digest}). Raise the version.`,
    );
}

/** The files of the Dockerfile's last stage. */
function imageFiles(root: string): TarFile[] {
  const dist = join(root, 'deploy/image/dist');
  const file = (from: string, path: string): TarFile => ({ path, bytes: readFileSync(from) });
  const bundles = globSync('bundles/**/*', { cwd: dist, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)));
  return [
    ...[...bundles, 'sbom.cdx.json', 'THIRD_PARTY_LICENCES'].map((path) =>
      file(join(dist, path), `app/${path}`),
    ),
    file(join(root, 'LICENSE'), 'app/LICENSE'),
    file(join(root, 'deploy/node-flags'), 'app/node-flags'),
    { ...file(join(root, 'deploy/image/roster'), 'usr/local/bin/roster'), executable: true },
  ];
}

/** The settings of the Dockerfile's last stage, so that both images have the same. */
export function imageSettings(dockerfile: string): ImageSource['settings'] {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const value = (name: string) => {
    const [, found] = new RegExp(`^${name} (.+)$`, 'm').exec(stage) ?? [];
    if (found === undefined) throw new Error(`The Dockerfile has no ${name}.`);
    return found;
  };
  return {
    env: value('ENV').split(' '),
    workingDir: value('WORKDIR'),
    user: value('USER'),
    entrypoint: JSON.parse(value('ENTRYPOINT')) as string[],
    cmd: JSON.parse(value('CMD')) as string[],
  };
}

const nameOf = ({ host, path }: Repository): string => `${host}/${path}`;

/** `example/roster` has its chart in `example/charts/roster`. */
const beside = ({ host, path }: Repository, folder: string): Repository => ({
  host,
  path: path.replace(/[^/]+$/, `${folder}/$&`),
});
