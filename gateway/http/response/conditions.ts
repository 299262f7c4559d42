import { Fault, versionIn } from '@roster/contracts';

const tagsMax = 16;
/**
 * An entity tag of a list (RFC 9110, 8.8.3), or an empty element. Spaces are matched by one part of the pattern at any position, so
 * that the time is proportional to the length of the header.
 */
const element = /[ \t]*(?:(?<weak>W\/)?"(?<tag>[\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

interface EntityTag {
  tag: string;
  isWeak: boolean;
}
export type EntityTags = EntityTag[] | '*';

/**
 * The versions in If-Match. Weak tags match none. Undefined without the header, and for `*`: a change of a resource that does
 * not exist is answered `not_found`.
 *
 * @param isSupported whether the operation compares it; otherwise the header is rejected, because it would be ignored
 *
 * @throws Fault `invalid`
 */
export function readIfMatch(
  header: string | undefined,
  isSupported: boolean,
): string[] | undefined {
  if (header === undefined) return undefined;
  if (!isSupported)
    throw new Fault(
      'invalid',
      'The If-Match header requires a PUT, PATCH or DELETE of one resource; a GET of one takes If-None-Match.',
    );
  const tags = readTags('If-Match', header);
  if (tags === '*') return undefined;
  return tags
    .map(({ tag, isWeak }) => (isWeak ? undefined : versionIn(tag)))
    .filter((version) => version !== undefined);
}

/**
 * The entity tags in If-None-Match.
 *
 * @param isSupported as for `readIfMatch`
 *
 * @throws Fault `invalid`
 */
export function readIfNoneMatch(header: string | undefined, isSupported: boolean): EntityTags {
  if (header === undefined) return [];
  if (!isSupported)
    throw new Fault(
      'invalid',
      'The If-None-Match header requires a GET; a PUT, PATCH or DELETE of one resource takes If-Match.',
    );
  return readTags('If-None-Match', header);
}

/** Whether If-None-Match contains an entity tag, of any content coding. The comparison is weak. */
export const isNotModified = (tags: EntityTags, entityTag: string): boolean =>
  tags === '*' || tags.some(({ tag }) => tag === entityTag);

function readTags(name: string, header: string): EntityTags {
  if (header.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  for (element.lastIndex = 0; element.lastIndex < header.length;) {
    const found = element.exec(header);
    if (!found) throw malformed(name);
    const { weak, tag } = found.groups as { weak?: string; tag?: string };
    if (tag !== undefined) tags.push({ tag: withoutCoding(tag), isWeak: weak !== undefined });
  }
  if (tags.length === 0 || tags.length > tagsMax) throw malformed(name);
  return tags;
}

/** The tag of the same resource without a content coding. Digests have a fixed length, and can end like a coding. */
const withoutCoding = (tag: string): string => codedTag.exec(tag)?.[1] ?? tag;
const codedTag = /^([\w-]{22}(?:\.[\w-]{22})?)-(?:br|gzip)$/;

const malformed = (name: string): Fault =>
  new Fault(
    'invalid',
    `The ${name} header must be * or 1 to ${tagsMax} entity tags in double quotes, separated by commas.`,
  );
