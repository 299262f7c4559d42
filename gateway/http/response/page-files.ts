import { digestOf, Fault } from '@roster/contracts';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type HttpContext, leaveSlot } from '../exchange.js';
import { readIfNoneMatch } from './conditions.js';
import type { Route } from '../routes.js';
import { compressOnce, type Compressor } from './compress.js';
import { sendTagged } from './send-compressed.js';

export const javascript = 'text/javascript; charset=utf-8';
export const stylesheet = 'text/css; charset=utf-8';

/**
 * A file of a page: a text, a file beside the manifest of a package, even if the package does not export it, or what is made at the
 * first request.
 */
export type PageFile = { mediaType: string } & (
  | { text: string }
  | { manifest: string; path: string }
  | { make: () => Promise<Uint8Array> }
);

/**
 * Serves the files of a page. Browsers keep them, and validate them with their entity tags: an upgrade changes files, not paths.
 *
 * A request for a file holds no slot. The first ones after a start wait until it is read and compressed, once for all of them, and
 * would take the slots of all requests without a key. Their number is bounded by that of the connections.
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
      const file = found.get(ctx.params!['file']!);
      if (!file) throw new Fault('not_found', 'No such file.');
      leaveSlot(ctx);
      await sendContent(ctx, file.mediaType, await file.read());
    },
  };
}

/** Sends the content of a page, or 304 if the client has it. */
export async function sendContent(
  ctx: HttpContext,
  mediaType: string,
  { bytes, entityTag, compressor }: PageContent,
): Promise<void> {
  const known = readIfNoneMatch(ctx.req.headers['if-none-match'], true);
  ctx.state.headers['Cache-Control'] = 'no-cache';
  await sendTagged(ctx, 200, entityTag, known, mediaType, bytes, compressor);
}

export interface PageContent {
  bytes: Uint8Array;
  entityTag: string;
  compressor: Compressor;
}

function readerOf(file: PageFile): () => Promise<PageContent> {
  if ('make' in file) return once(async () => contentOf(await file.make()));
  if (!('text' in file)) return readOnce(join(dirname(file.manifest), file.path));
  const content = Promise.resolve(contentOf(Buffer.from(file.text)));
  return () => content;
}

/** Reads a file at the first call, because pages are opened at few gateways only. */
export const readOnce = (path: string): (() => Promise<PageContent>) =>
  once(async () => contentOf(await readFile(path)));

/** Calls a function once. After a failure, the next call does so again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

export const contentOf = (bytes: Uint8Array): PageContent => ({
  bytes,
  entityTag: digestOf(bytes),
  compressor: compressOnce(),
});
