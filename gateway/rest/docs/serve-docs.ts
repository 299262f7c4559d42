import { createRequire } from 'node:module';
import { javascript, pageFiles, stylesheet } from '../../http/routing/page-files.js';
import { fixed, type Route } from '../../http/routing/routes.js';
import { pageOf, startScript, stylesheetText } from './page.js';

const require = createRequire(import.meta.url);

/** Allows only resources of this origin. The explorer requires inline styles. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference at `/docs`, which shows the OpenAPI document and sends requests from the page. */
export function docsRoutes(service: string): Route[] {
  const page = Buffer.from(pageOf(service));
  return [
    {
      methods: ['GET'],
      path: '/docs',
      operation: 'docs',
      answer: fixed('text/html; charset=utf-8', page, { 'Content-Security-Policy': policy }),
    },
    pageFiles('/docs/assets/{file}', 'docs', {
      'start.js': { mediaType: javascript, text: startScript },
      'docs.css': { mediaType: stylesheet, text: stylesheetText },
      'explorer.js': {
        mediaType: javascript,
        manifest: require.resolve('openapi-explorer/package.json'),
        path: 'dist/browser/openapi-explorer.min.js',
      },
    }),
  ];
}
