import { digestOf, Fault } from '@roster/contracts';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readIfNoneMatch } from './conditions.js';
import type { Route } from '../routes.js';
import { compressOnce, type Compressor } from './compress.js';
import { sendTagged } from './send-compressed.js';

export const javascript = 'text/javascript; charset=utf-8';
export const stylesheet = 'text/css; charset=utf-8';

/** A file of a page: a text, or a file beside the manifest of a package, even if the package does not export it. */
export type PageFile = { mediaType: string } & (
  | { text: string }
  | { manifest: string; path: string }
);

/**
 * Serves the files of a page. Browsers keep them, and validate them with their entity tags: an upgrade changes files, not paths.
 *
 * @param path contains the parameter `{file}`
 * @param files by their names
 */
export function pageFiles(
  path: string,
  operation: string,
  files: Readonly<Record<string, PageFile>>,
): Route {
  const found = new Map(
    Object.entries(files).map(([name, file]) => [name, { ...file, read: readerOf(file) }]),
  );
  return {
    methods: ['GET'],
    path,
    operation,
    async answer(ctx) {
      const { req, params, state } = ctx;
      const file = found.get(params!['file']!);
      if (!file) throw new Fault('not_found', 'No such file.');
      const known = readIfNoneMatch(req.headers['if-none-match'], true);
      const { bytes, entityTag, compressor } = await file.read();
      state.headers['Cache-Control'] = 'no-cache';
      await sendTagged(ctx, 200, entityTag, known, file.mediaType, bytes, compressor);
    },
  };
}

interface Content {
  bytes: Uint8Array;
  entityTag: string;
  compressor: Compressor;
}

function readerOf(file: PageFile): () => Promise<Content> {
  if (!('text' in file)) return readOnce(join(dirname(file.manifest), file.path));
  const content = Promise.resolve(contentOf(Buffer.from(file.text)));
  return () => content;
}

/** Reads a file at the first call, because pages are opened at few gateways only. After a failure, the next call reads it again. */
export function readOnce(path: string): () => Promise<Content> {
  let reading: Promise<Content> | undefined;
  const read = async () => contentOf(await readFile(path));
  return () =>
    (reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    }));
}

const contentOf = (bytes: Uint8Array): Content => ({
  bytes,
  entityTag: digestOf(bytes),
  compressor: compressOnce(),
});
