import { mediaTypes, type Descriptor, type Registry, type Repository } from './registry.js';

export interface Artifact {
  artifactType?: string;
  config?: { mediaType: string; bytes: Uint8Array };
  layer: { mediaType: string; bytes: Uint8Array; title?: string };
  annotations: Record<string, string>;
  /** What it is about: the registry lists it as a referrer. */
  subject?: Descriptor;
}

/** A file that is not an image, as OCI 1.1 describes it. */
export async function writeArtifact(
  registry: Registry,
  to: Repository,
  { artifactType, config, layer, annotations, subject }: Artifact,
  tag?: string,
): Promise<Descriptor> {
  const { mediaType, bytes } = config ?? { mediaType: mediaTypes.empty, bytes: Buffer.from('{}') };
  const { title } = layer;
  const written = await registry.writeBlob(to, layer.mediaType, layer.bytes);
  return registry.writeManifest(
    to,
    {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      ...(artifactType !== undefined && { artifactType }),
      config: await registry.writeBlob(to, mediaType, bytes),
      layers: [
        {
          ...written,
          ...(title !== undefined && { annotations: { 'org.opencontainers.image.title': title } }),
        },
      ],
      ...(subject && {
        subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.size },
      }),
      annotations,
    },
    tag,
  );
}
