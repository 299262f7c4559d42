import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry in memory, on a free port of this machine: as much of the OCI distribution API as clients use. */
export class MinimalRegistry {
  readonly blobs = new Map<string, Buffer>();
  /** By `repository/digest` and `repository:tag`. */
  readonly manifests = new Map<string, { type: string; bytes: Buffer }>();
  /** Requests that write manifests and blobs. */
  readonly writes: string[] = [];
  readonly #knowsReferrers: boolean;
  readonly #uploads = new Map<string, Buffer[]>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  private constructor(knowsReferrers: boolean) {
    this.#knowsReferrers = knowsReferrers;
  }

  static async start({ knowsReferrers = true } = {}): Promise<MinimalRegistry> {
    const registry = new MinimalRegistry(knowsReferrers);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const url = new URL(request.url!, 'http://registry');
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const end = (status: number, headers: Record<string, string> = {}, bytes?: Buffer) => {
      response.writeHead(status, { ...headers, ...(bytes && { 'content-length': bytes.length }) });
      response.end(method === 'HEAD' ? undefined : bytes);
    };
    if (url.pathname === '/v2/') return end(200);
    const [, repository, kind, reference = ''] =
      /^\/v2\/(.+)\/(blobs|manifests|referrers)\/(.*)$/.exec(url.pathname) ?? [];
    if (repository === undefined) return end(404);
    if (['PUT', 'POST'].includes(method)) this.writes.push(`${method} ${kind} ${reference}`);

    if (kind === 'blobs' && reference.startsWith('uploads/')) {
      if (method === 'POST') {
        const id = randomUUID();
        this.#uploads.set(id, []);
        return end(202, { location: `/v2/${repository}/blobs/uploads/${id}` });
      }
      const parts = this.#uploads.get(reference.slice(8));
      if (!parts) return end(404);
      parts.push(body);
      if (method === 'PATCH')
        return end(202, { location: url.pathname, range: `0-${length(parts) - 1}` });
      const bytes = Buffer.concat(parts);
      const digest = url.searchParams.get('digest')!;
      if (digestOf(bytes) !== digest) return end(400);
      this.blobs.set(digest, bytes);
      return end(201, { 'docker-content-digest': digest });
    }
    if (kind === 'blobs') {
      const bytes = this.blobs.get(reference);
      return bytes ? end(200, {}, bytes) : end(404);
    }
    if (kind === 'referrers') {
      if (!this.#knowsReferrers) return end(404);
      const list = {
        schemaVersion: 2,
        mediaType: indexType,
        manifests: this.#referrers(repository, reference),
      };
      return end(200, { 'content-type': indexType }, Buffer.from(JSON.stringify(list)));
    }
    if (method === 'PUT') {
      const stored = { type: request.headers['content-type']!, bytes: body };
      const digest = digestOf(body);
      this.manifests.set(`${repository}/${digest}`, stored);
      if (!reference.startsWith('sha256:'))
        this.manifests.set(`${repository}:${reference}`, stored);
      const { subject } = JSON.parse(body.toString()) as { subject?: { digest: string } };
      return end(201, {
        'docker-content-digest': digest,
        ...(subject && this.#knowsReferrers && { 'oci-subject': subject.digest }),
      });
    }
    const separator = reference.startsWith('sha256:') ? '/' : ':';
    const found = this.manifests.get(`${repository}${separator}${reference}`);
    if (!found) return end(404);
    end(
      200,
      { 'content-type': found.type, 'docker-content-digest': digestOf(found.bytes) },
      found.bytes,
    );
  }

  #referrers(repository: string, subject: string): object[] {
    return [...this.manifests].flatMap(([name, { type, bytes }]) => {
      if (!name.startsWith(`${repository}/`)) return [];
      const manifest = JSON.parse(bytes.toString()) as {
        subject?: { digest: string };
        artifactType?: string;
        config?: { mediaType: string };
      };
      if (manifest.subject?.digest !== subject) return [];
      const artifactType = manifest.artifactType ?? manifest.config?.mediaType;
      return [{ mediaType: type, digest: digestOf(bytes), size: bytes.length, artifactType }];
    });
  }
}

const indexType = 'application/vnd.oci.image.index.v1+json';

const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const length = (parts: readonly Buffer[]): number =>
  parts.reduce((total, { length: bytes }) => total + bytes, 0);
