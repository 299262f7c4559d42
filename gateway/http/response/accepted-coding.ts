import { LRUCache } from 'lru-cache';

/** Content codings of responses (RFC 9110, 8.4.1), the preferred one first: it takes the least time. */
export const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

export interface Acceptance {
  /** The coding to use for a response that is large enough. */
  coding: Coding | undefined;
  /** Whether the client refuses responses without a coding, also small ones. */
  refusesIdentity: boolean;
}

const onlyIdentity: Acceptance = { coding: undefined, refusesIdentity: false };

/** Parsed headers: clients send few different ones. */
const known = new LRUCache<string, Acceptance>({ max: 100 });
/** Longer headers are parsed each time. */
const knownLengthMax = 128;

/**
 * Evaluates Accept-Encoding (RFC 9110, 12.5.3). A header that accepts no coding at all, not even identity, is disregarded, as RFC
 * 9110, 12.4.1 permits.
 */
export function acceptedCoding(header: string | undefined): Acceptance {
  if (header === undefined) return onlyIdentity;
  const found = known.get(header);
  if (found) return found;
  const acceptance = parse(header);
  if (header.length <= knownLengthMax) known.set(header, acceptance);
  return acceptance;
}

const element =
  /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

function parse(header: string): Acceptance {
  const qualities = new Map<string, number>();
  for (const text of header.toLowerCase().split(',')) {
    // A malformed element is skipped.
    const [, name, quality = '1'] = element.exec(text) ?? [];
    if (name !== undefined) qualities.set(name === 'x-gzip' ? 'gzip' : name, Number(quality));
  }
  const qualityOf = (name: string) => qualities.get(name) ?? qualities.get('*') ?? 0;
  const identity = qualities.get('identity') ?? qualities.get('*');
  const [best] = codings
    .filter((coding) => qualityOf(coding) > 0)
    .toSorted((a, b) => qualityOf(b) - qualityOf(a));
  // Without a quality of its own, identity is acceptable and less preferred.
  const coding = best && qualityOf(best) >= (qualities.get('identity') ?? 0) ? best : undefined;
  return { coding, refusesIdentity: coding !== undefined && identity === 0 };
}
