/** The parts of the OCI distribution API that a release uses. */
import { createHash } from 'node:crypto';

export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  artifactType?: string;
  annotations?: Record<string, string>;
  platform?: { os: string; architecture: string; variant?: string };
}

export interface Manifest {
  schemaVersion: 2;
  mediaType: string;
  artifactType?: string;
  config?: Descriptor;
  layers?: Descriptor[];
  manifests?: Descriptor[];
  subject?: Descriptor;
  annotations?: Record<string, string>;
}

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
};

/** Docker's names of the same formats. */
const accepted = [
  mediaTypes.index,
  mediaTypes.manifest,
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

const timeoutMs = 600_000;

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** `host/path`, without tag and digest. */
export interface Repository {
  host: string;
  path: string;
}

/** `registry.example.com/roster:tag@digest`. Names without a host are those of Docker Hub. */
export function parseReference(text: string): Repository & { reference: string } {
  const [name = '', digest] = text.split('@');
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const hasHost = /[.:]/.test(first) || first === 'localhost';
  const rest = hasHost ? name.slice(slash + 1) : name;
  const [path = '', tag = 'latest'] = rest.split(':');
  if (!hasHost || first === 'docker.io')
    return {
      host: 'registry-1.docker.io',
      path: path.includes('/') ? path : `library/${path}`,
      reference: digest ?? tag,
    };
  return { host: first, path, reference: digest ?? tag };
}

/** @returns `Basic …` for a host, if there are credentials */
export type Credentials = (host: string) => string | undefined;

export class Registry {
  readonly #credentials: Credentials;
  /** By repository: tokens are valid for one. */
  readonly #tokens = new Map<string, string>();

  constructor(credentials: Credentials = () => undefined) {
    this.#credentials = credentials;
  }

  /** @returns undefined if there is none */
  async readManifest(
    from: Repository,
    reference: string,
  ): Promise<{ manifest: Manifest; descriptor: Descriptor } | undefined> {
    const response = await this.#send(from, 'GET', `manifests/${reference}`, {
      headers: { accept: accepted.join(', ') },
    });
    if (response.status === 404) return undefined;
    const bytes = await bodyOf(response, [200]);
    const digest = digestOf(bytes);
    if (reference.startsWith('sha256:') && digest !== reference)
      throw new Error(`${from.host}/${from.path}@${reference} has other bytes.`);
    const manifest = JSON.parse(bytes.toString()) as Manifest;
    const mediaType = manifest.mediaType ?? response.headers.get('content-type') ?? '';
    return { manifest, descriptor: { mediaType, digest, size: bytes.length } };
  }

  /** @throws Error if the bytes do not have the digest */
  async readBlob(from: Repository, { digest }: Descriptor): Promise<Buffer> {
    const bytes = await bodyOf(await this.#send(from, 'GET', `blobs/${digest}`), [200]);
    if (digestOf(bytes) !== digest) throw new Error(`The blob ${digest} has other bytes.`);
    return bytes;
  }

  async hasBlob(to: Repository, digest: string): Promise<boolean> {
    const { status } = await this.#send(to, 'HEAD', `blobs/${digest}`);
    return status === 200;
  }

  async writeBlob(to: Repository, mediaType: string, bytes: Uint8Array): Promise<Descriptor> {
    const descriptor = { mediaType, digest: digestOf(bytes), size: bytes.length };
    if (await this.hasBlob(to, descriptor.digest)) return descriptor;
    const started = await this.#send(to, 'POST', 'blobs/uploads/');
    await bodyOf(started, [202]);
    const url = new URL(started.headers.get('location')!, urlOf(to, ''));
    url.searchParams.set('digest', descriptor.digest);
    const done = await this.#send(to, 'PUT', url, {
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    await bodyOf(done, [201]);
    return descriptor;
  }

  async writeManifest(to: Repository, manifest: Manifest, tag?: string): Promise<Descriptor> {
    const bytes = Buffer.from(JSON.stringify(manifest));
    const digest = digestOf(bytes);
    const response = await this.#send(to, 'PUT', `manifests/${tag ?? digest}`, {
      headers: { 'content-type': manifest.mediaType },
      body: bytes,
    });
    await bodyOf(response, [201]);
    const descriptor = { mediaType: manifest.mediaType, digest, size: bytes.length };
    // Registries that know no referrers keep their list below a tag.
    if (manifest.subject && !response.headers.has('oci-subject'))
      await this.#listReferrer(to, manifest.subject, { ...descriptor, ...typeOf(manifest) });
    return descriptor;
  }

  /** What refers to a manifest: SBOM, provenance, signatures. */
  async referrers(of: Repository, digest: string): Promise<Descriptor[]> {
    const response = await this.#send(of, 'GET', `referrers/${digest}`);
    if (response.status === 404) {
      const list = await this.readManifest(of, digest.replace(':', '-'));
      return list?.manifest.manifests ?? [];
    }
    return (JSON.parse((await bodyOf(response, [200])).toString()) as Manifest).manifests ?? [];
  }

  async #listReferrer(to: Repository, { digest }: Descriptor, added: Descriptor): Promise<void> {
    const tag = digest.replace(':', '-');
    const list = (await this.readManifest(to, tag))?.manifest.manifests ?? [];
    const manifests = [...list.filter((one) => one.digest !== added.digest), added];
    await this.writeManifest(to, { schemaVersion: 2, mediaType: mediaTypes.index, manifests }, tag);
  }

  async #send(
    to: Repository,
    method: string,
    path: string | URL,
    init: { headers?: Record<string, string>; body?: Uint8Array } = {},
  ): Promise<Response> {
    const url = typeof path === 'string' ? urlOf(to, path) : path;
    const attempt = () => {
      const known = this.#tokens.get(`${to.host}/${to.path}`) ?? this.#credentials(to.host);
      return fetch(url, {
        method,
        headers: { ...init.headers, ...(known !== undefined && { authorization: known }) },
        body: init.body ?? null,
        signal: AbortSignal.timeout(timeoutMs),
      });
    };
    const response = await attempt();
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (response.status !== 401 || !/^bearer /i.test(challenge)) return response;
    await response.body?.cancel();
    this.#tokens.set(`${to.host}/${to.path}`, await this.#token(to, challenge));
    return attempt();
  }

  async #token({ host, path }: Repository, challenge: string): Promise<string> {
    const parameters = new Map(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
    const url = new URL(parameters.get('realm')!);
    for (const name of ['service', 'scope'])
      if (parameters.has(name)) url.searchParams.set(name, parameters.get(name)!);
    const credentials = this.#credentials(host);
    // One token for reading and writing, where there are credentials.
    if (credentials) url.searchParams.set('scope', `repository:${path}:pull,push`);
    const response = await fetch(url, {
      headers: credentials ? { authorization: credentials } : {},
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = JSON.parse((await bodyOf(response, [200])).toString()) as Record<string, string>;
    return `Bearer ${answer.token ?? answer.access_token}`;
  }
}

const typeOf = ({ artifactType, annotations }: Manifest) => ({
  ...(artifactType !== undefined && { artifactType }),
  ...(annotations !== undefined && { annotations }),
});

/** Plain HTTP on this machine only, as other clients do. */
function urlOf({ host, path }: Repository, rest: string): URL {
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(host);
  return new URL(`${isLocal ? 'http' : 'https'}://${host}/v2/${path}/${rest}`);
}

async function bodyOf(response: Response, expected: readonly number[]): Promise<Buffer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (expected.includes(response.status)) return bytes;
  // Without its query, which may contain a signature.
  const { origin, pathname } = new URL(response.url);
  throw new Error(
    `${origin}${pathname} answers ${response.status}: ${bytes.toString().slice(0, 300)}`,
  );
}
