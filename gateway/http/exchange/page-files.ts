import { Fault } from '@roster/contracts';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Route } from './routes.js';
import { send } from './send.js';

export const javascript = 'text/javascript; charset=utf-8';
export const stylesheet = 'text/css; charset=utf-8';

/** A file of a page: a text, or a file beside the manifest of a package, even if the package does not export it. */
export type PageFile = { mediaType: string } & (
  | { text: string }
  | { manifest: string; path: string }
);

/**
 * Serves the files of a page. Those of packages are read on request, because they are megabytes.
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
    Object.entries(files).map(([name, file]) => [name, { ...file, content: contentOf(file) }]),
  );
  return {
    methods: ['GET'],
    path,
    operation,
    async answer(ctx) {
      const file = found.get(ctx.params!['file']!);
      if (!file) throw new Fault('not_found', 'No such file.');
      send(ctx, 200, file.mediaType, await file.content());
    },
  };
}

function contentOf(file: PageFile): () => Promise<Uint8Array | string> {
  if ('text' in file) return () => Promise.resolve(file.text);
  const path = join(dirname(file.manifest), file.path);
  return () => readFile(path);
}
