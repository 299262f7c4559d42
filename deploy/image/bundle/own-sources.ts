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
 * Keeps only Roster's own sources in the source map of a bundle. Node loads the complete map when the first stack
 * trace is read; with the sources of packages, it would use 50 MiB of each process. Stack frames of packages refer to
 * lines of the bundle.
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

/**
 * Marks the start of a package's code with one segment without a source: otherwise Node would attribute it to the
 * preceding source.
 */
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
