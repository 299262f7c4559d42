import { lookup, Resolver } from 'node:dns/promises';
import { knownAddresses } from '@roster/service/targets';

/** Addresses of a host, and how long they may be cached. */
export interface Resolution {
  addresses: string[];
  ttlSeconds: number;
}

export type ResolveHost = (hostname: string) => Promise<Resolution>;

const nothingFound = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED']);
const ttlSecondsMax = 300;

/** Queries DNS; IPv4 addresses come first. Names unknown to DNS are resolved by the operating system. */
export function hostResolver(timeoutMs: number): ResolveHost {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  return async (hostname) => {
    const known = knownAddresses(hostname);
    if (known) return { addresses: known, ttlSeconds: ttlSecondsMax };
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

/** Caches resolutions for their time to live, up to a number of entries. Failures are not cached. */
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
