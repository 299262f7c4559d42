import { readFile, writeFile } from 'node:fs/promises';

import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

interface SourceMap {
  version: 3;
  sources: string[];
  names: string[];
  mappings: string;
}

const isOwn = (source: string | undefined): boolean => !source?.includes('node_modules/');

/**
 * Leaves of a bundle's map what leads to Roster's own sources. Node reads the whole map at the first error whose stack anybody
 * looks at, and with that of the packages it would be 50 MiB of each process; their frames name the bundle's lines instead.
 */
export async function mapOwnSourcesOnly(file: string): Promise<void> {
  const map = JSON.parse(await readFile(file, 'utf8')) as SourceMap;
  const kept = new Map<number, number>();
  for (const [index, source] of map.sources.entries()) {
    if (isOwn(source)) kept.set(index, kept.size);
  }
  const mappings = decode(map.mappings).map((segments) => ownSegments(segments, kept));
  const own: SourceMap = {
    version: 3,
    sources: map.sources.filter(isOwn),
    names: [],
    mappings: encode(mappings),
  };
  await writeFile(file, JSON.stringify(own));
}

/** Where a package's code begins, one segment without a source: Node would take it for what stands before it. */
function ownSegments(segments: SourceMapSegment[], kept: Map<number, number>): SourceMapSegment[] {
  let inOwn: boolean | undefined;
  return segments.flatMap((segment): SourceMapSegment[] => {
    const [column, source, line, sourceColumn] = segment;
    const index = source === undefined ? undefined : kept.get(source);
    const wasInOwn = inOwn;
    inOwn = index !== undefined;
    if (index !== undefined) return [[column, index, line!, sourceColumn!]];
    return wasInOwn === false ? [] : [[column]];
  });
}
