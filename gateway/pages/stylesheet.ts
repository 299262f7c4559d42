import { createRequire } from 'node:module';
import { type PageFile, stylesheet } from '../http/response/page-files.js';

const require = createRequire(import.meta.url);

/** Manifest of the package with the files of the pages. */
export const docsManifest = require.resolve('@roster/docs/package.json');

/** The stylesheet of all pages of the gateway, and the font that it refers to. */
export const pagesStyle: Record<string, PageFile> = {
  'pages.css': { mediaType: stylesheet, manifest: docsManifest, path: 'dist/pages.css' },
  'inter.woff2': { mediaType: 'font/woff2', manifest: docsManifest, path: 'dist/inter.woff2' },
};
