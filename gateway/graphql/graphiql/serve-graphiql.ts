import { createRequire } from 'node:module';
import type { HttpContext } from '../../http/exchange.js';
import { javascript, pageFiles, stylesheet } from '../../http/response/page-files.js';
import { fixed, type Route } from '../../http/routes.js';
import { page, startScript } from './page.js';

const require = createRequire(import.meta.url);

/**
 * Allows only resources of this address. GraphiQL requires inline styles. The sandbox gives the page an opaque origin: a script in it
 * has no part in the session of the console at the same address.
 */
const policy =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox; ' +
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "font-src 'self' data:; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const manifests = {
  react: require.resolve('react/package.json'),
  reactDom: require.resolve('react-dom/package.json'),
  sse: require.resolve('graphql-sse/package.json'),
  graphiql: require.resolve('graphiql/package.json'),
};
const scriptOf = (manifest: string, path: string) => ({ mediaType: javascript, manifest, path });

export const graphiqlFiles = (): Route =>
  pageFiles('/graphql/assets/{file}', 'graphiql', {
    'start.js': { mediaType: javascript, text: startScript },
    'react.js': scriptOf(manifests.react, 'umd/react.production.min.js'),
    'react-dom.js': scriptOf(manifests.reactDom, 'umd/react-dom.production.min.js'),
    'graphql-sse.js': scriptOf(manifests.sse, 'umd/graphql-sse.min.js'),
    'graphiql.js': scriptOf(manifests.graphiql, 'graphiql.min.js'),
    'graphiql.css': {
      mediaType: stylesheet,
      manifest: manifests.graphiql,
      path: 'graphiql.min.css',
    },
  });

/** Whether the request is a navigation of a browser, not a query. */
export const wantsPage = ({ req, query }: HttpContext): boolean =>
  req.method !== 'POST' &&
  query['query'] === undefined &&
  (req.headers.accept?.includes('text/html') ?? false);

const answerPage = fixed('text/html; charset=utf-8', Buffer.from(page), {
  'Content-Security-Policy': policy,
});

export function sendPage(ctx: HttpContext): void | Promise<void> {
  ctx.state.operation = 'graphiql';
  return answerPage(ctx);
}
