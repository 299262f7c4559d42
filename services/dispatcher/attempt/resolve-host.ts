import type { RecordWithTtl } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { knownAddresses } from '@roster/process/targets';

/** Addresses of a host, and how long they may be cached. */
export interface Resolution {
  addresses: string[];
  ttlSeconds: number;
}

export type ResolveHost = (hostname: string) => Promise<Resolution>;

/** The name has no address of the family. */
const hasNone = new Set(['ENOTFOUND', 'ENODATA']);
const nothingFound = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ECONNREFUSED']);
const ttlSecondsMax = 300;
/** While an answer is missing. */
const partialTtlSecondsMax = 10;
/** How long one family waits for the other (RFC 8305, section 3). */
const otherFamilyMs = 50;

/**
 * Queries DNS; IPv4 addresses come first. Names unknown to DNS are resolved by the operating system.
 *
 * @param timeoutMs for three queries, each of which waits twice as long as the one before
 * @param servers of DNS, by default those of the system
 */
export function hostResolver(timeoutMs: number, servers?: string[]): ResolveHost {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 8), tries: 3 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const known = knownAddresses(hostname);
    if (known) return { addresses: known, ttlSeconds: ttlSecondsMax };
    const records: RecordWithTtl[][] = [[], []];
    let missing = records.length;
    const answers = [
      resolver.resolve4(hostname, { ttl: true }),
      resolver.resolve6(hostname, { ttl: true }),
    ].map(async (answer, family) => {
      try {
        records[family] = await answer;
        missing -= 1;
      } catch (error) {
        if (hasNone.has((error as NodeJS.ErrnoException).code ?? '')) missing -= 1;
        throw error;
      }
    });
    try {
      await Promise.any(answers);
    } catch (failures) {
      const [failure] = (failures as AggregateError).errors as NodeJS.ErrnoException[];
      if (!nothingFound.has(failure?.code ?? '')) throw failure;
      const found = await lookup(hostname, { all: true });
      return { addresses: found.map(({ address }) => address), ttlSeconds: 0 };
    }
    await Promise.race([Promise.allSettled(answers), setTimeout(otherFamilyMs)]);
    const found = records.flat();
    const ttlMax = missing > 0 ? partialTtlSecondsMax : ttlSecondsMax;
    return {
      addresses: found.map(({ address }) => address),
      ttlSeconds: Math.min(ttlMax, ...found.map(({ ttl }) => ttl)),
    };
  };
}

/** Caches resolutions for their time to live, up to a number of entries. Failures are not cached. Simultaneous look-ups share one. */
export function cachedResolver(resolve: ResolveHost, entriesMax = 10_000): ResolveHost {
  const cache = new LRUCache<string, Resolution>({ max: entriesMax });
  const pending = new Map<string, Promise<Resolution>>();
  const lookUp = async (hostname: string): Promise<Resolution> => {
    try {
      const resolution = await resolve(hostname);
      // The cache takes a time to live of 0 for no limit.
      if (resolution.ttlSeconds > 0)
        cache.set(hostname, resolution, { ttl: resolution.ttlSeconds * 1000 });
      return resolution;
    } finally {
      pending.delete(hostname);
    }
  };
  return async (hostname) => {
    const known = cache.get(hostname);
    if (known) return known;
    let resolution = pending.get(hostname);
    if (!resolution) pending.set(hostname, (resolution = lookUp(hostname)));
    return await resolution;
  };
}
