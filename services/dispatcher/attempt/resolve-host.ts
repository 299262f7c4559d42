import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Addresses of a host and how long they may be kept. */
export interface Resolution {
  addresses: string[];
  ttlSeconds: number;
}

export type ResolveHost = (hostname: string) => Promise<Resolution>;

const nothingFound = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED']);
const ttlSecondsMax = 300;

/** Asks DNS, IPv4 first. Names that DNS does not know are looked up as the operating system does. */
export function hostResolver(timeoutMs: number): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  return async (hostname) => {
    // https://www.rfc-editor.org/rfc/rfc6761#section-6.3
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) {
      return { addresses: ['127.0.0.1', '::1'], ttlSeconds: ttlSecondsMax };
    }
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname, { ttl: true }),
      resolver.resolve6(hostname, { ttl: true }),
    ]);
    const records = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (records.length > 0) {
      const ttlSeconds = Math.min(ttlSecondsMax, ...records.map(({ ttl }) => ttl));
      return { addresses: records.map(({ address }) => address), ttlSeconds };
    }
    const failure = answers.find((answer) => answer.status === 'rejected')
      ?.reason as NodeJS.ErrnoException;
    if (!nothingFound.has(failure?.code ?? '')) throw failure;
    const found = await lookup(hostname, { all: true });
    return { addresses: found.map(({ address }) => address), ttlSeconds: 0 };
  };
}

/** Remembers resolutions for their time to live. Bounded; a failure is not remembered. */
export function cachedResolver(resolve: ResolveHost, entriesMax = 10_000): ResolveHost {
  const cache = new Map<
    string,
    { resolution: Resolution; /** By `performance.now()`. */ until: number }
  >();
  return async (hostname) => {
    const known = cache.get(hostname);
    if (known && known.until > performance.now()) return known.resolution;
    const resolution = await resolve(hostname);
    cache.delete(hostname);
    if (cache.size >= entriesMax) cache.delete(cache.keys().next().value!);
    if (resolution.ttlSeconds > 0) {
      cache.set(hostname, { resolution, until: performance.now() + resolution.ttlSeconds * 1000 });
    }
    return resolution;
  };
}

/** The address a URL names itself, without brackets, or undefined. The URL parser has turned decimal and hexadecimal forms into dotted ones. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) ? bare : undefined;
}
