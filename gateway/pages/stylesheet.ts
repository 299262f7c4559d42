import { createRequire } from 'node:module';
import { type PageFile, stylesheet } from '../http/response/page-files.js';

const require = createRequire(import.meta.url);

/** Manifest of the package with the files of the pages. */
export const docsManifest = require.resolve('@roster/docs/package.json');

/** The stylesheet of all pages of the gateway. */
export const pagesStylesheet: PageFile = {
  mediaType: stylesheet,
  manifest: docsManifest,
  path: 'dist/pages.css',
};
