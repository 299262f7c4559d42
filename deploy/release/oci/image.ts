/**
 * The image for several platforms: the layers of the base, and one more layer, which is the same for all platforms because it
 * contains no machine code. Nothing is run, so that no platform is emulated.
 */
import {
  digestOf,
  mediaTypes,
  type Descriptor,
  type Registry,
  type Repository,
} from './registry.js';
import { gzip } from './tar.js';

export interface ImageSource {
  base: Repository & { reference: string };
  /** `linux/amd64`. */
  platforms: readonly string[];
  layer: Buffer;
  /** As in the Dockerfile. */
  settings: {
    env: readonly string[];
    workingDir: string;
    user: string;
    entrypoint: readonly string[];
    cmd: readonly string[];
  };
  labels: Record<string, string>;
  /** ISO 8601. */
  created: string;
}

interface Config {
  created?: string;
  architecture: string;
  os: string;
  variant?: string;
  config?: { Env?: string[]; Labels?: Record<string, string>; [field: string]: unknown };
  rootfs: { type: 'layers'; diff_ids: string[] };
  history?: object[];
}

/** Writes the blobs and the manifest of each platform. The index is not yet written, and nothing is tagged. */
export async function writeImage(
  registry: Registry,
  to: Repository,
  source: ImageSource,
): Promise<{ manifests: Descriptor[]; base: string }> {
  const { base, platforms } = source;
  const found = await registry.readManifest(base, base.reference);
  if (!found) throw new Error(`There is no image ${base.host}/${base.path}:${base.reference}.`);
  const bytes = gzip(source.layer);
  const layer = await registry.writeBlob(to, mediaTypes.layer, bytes);
  const manifests: Descriptor[] = [];
  for (const platform of platforms) {
    const of = found.manifest.manifests?.find((one) => nameOf(one) === platform);
    if (!of) throw new Error(`The base image is not for ${platform}.`);
    const { manifest } = (await registry.readManifest(base, of.digest))!;
    const layers = await Promise.all(
      manifest.layers!.map(async (one) => {
        const mediaType = one.mediaType.replace(
          /^application\/vnd\.docker\.image\.rootfs\.diff\.tar\.gzip$/,
          mediaTypes.layer,
        );
        if (!(await registry.hasBlob(to, one.digest)))
          await registry.writeBlob(to, mediaType, await registry.readBlob(base, one));
        return { mediaType, digest: one.digest, size: one.size };
      }),
    );
    const text = await registry.readBlob(base, manifest.config!);
    const config = configOf(JSON.parse(text.toString()) as Config, source);
    const written = await registry.writeManifest(to, {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: await registry.writeBlob(to, mediaTypes.config, Buffer.from(JSON.stringify(config))),
      layers: [...layers, layer],
      annotations: source.labels,
    });
    const { os, architecture, variant } = config;
    manifests.push({
      ...written,
      platform: { os, architecture, ...(variant !== undefined && { variant }) },
    });
  }
  return { manifests, base: found.descriptor.digest };
}

const nameOf = ({ platform }: Descriptor): string => `${platform?.os}/${platform?.architecture}`;

function configOf(base: Config, { settings, labels, created, layer }: ImageSource): Config {
  const names = new Set(settings.env.map((one) => one.split('=')[0]));
  const kept = (base.config?.Env ?? []).filter((one) => !names.has(one.split('=')[0]));
  return {
    ...base,
    created,
    config: {
      ...base.config,
      Env: [...kept, ...settings.env],
      WorkingDir: settings.workingDir,
      User: settings.user,
      Entrypoint: settings.entrypoint,
      Cmd: settings.cmd,
      Labels: { ...base.config?.Labels, ...labels },
    },
    rootfs: { type: 'layers', diff_ids: [...base.rootfs.diff_ids, digestOf(layer)] },
    history: [...(base.history ?? []), { created, created_by: 'npm run release' }],
  };
}
