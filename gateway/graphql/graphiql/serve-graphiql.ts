import { Fault } from '@roster/contracts';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { HttpContext } from '../../http/exchange/exchange.js';
import type { Route } from '../../http/exchange/routes.js';
import { send } from '../../http/exchange/send.js';
import { page, startScript } from './page.js';

const script = 'text/javascript; charset=utf-8';
const require = createRequire(import.meta.url);
/** Path of a file in a package, even if the package does not export it. */
const fileOf = (manifest: string, file: string): string => join(dirname(manifest), file);

/** Allows only resources of this origin. GraphiQL requires inline styles. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "font-src 'self' data:; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the assets of the page from the installed packages. Read on request, because they are 2 MiB. */
export function graphiqlAssets(): Route {
  const react = require.resolve('react/package.json');
  const reactDom = require.resolve('react-dom/package.json');
  const sse = require.resolve('graphql-sse/package.json');
  const graphiql = require.resolve('graphiql/package.json');
  const files = new Map<string, [mediaType: string, path: string]>([
    ['react.js', [script, fileOf(react, 'umd/react.production.min.js')]],
    ['react-dom.js', [script, fileOf(reactDom, 'umd/react-dom.production.min.js')]],
    ['graphql-sse.js', [script, fileOf(sse, 'umd/graphql-sse.min.js')]],
    ['graphiql.js', [script, fileOf(graphiql, 'graphiql.min.js')]],
    ['graphiql.css', ['text/css; charset=utf-8', fileOf(graphiql, 'graphiql.min.css')]],
  ]);
  return {
    methods: ['GET'],
    path: '/graphql/assets/{file}',
    operation: 'graphiql',
    async answer(ctx) {
      const name = ctx.params!['file']!;
      if (name === 'start.js') return send(ctx, 200, script, startScript);
      const file = files.get(name);
      if (!file) throw new Fault('not_found', 'No such file.');
      send(ctx, 200, file[0], await readFile(file[1]));
    },
  };
}

/** Whether the request is a navigation of a browser, not a query. */
export const wantsPage = ({ req, query }: HttpContext): boolean =>
  req.method !== 'POST' &&
  query['query'] === undefined &&
  (req.headers.accept?.includes('text/html') ?? false);

export function sendPage(ctx: HttpContext): void {
  ctx.state.operation = 'graphiql';
  ctx.state.headers['Content-Security-Policy'] = policy;
  send(ctx, 200, 'text/html; charset=utf-8', page);
}
