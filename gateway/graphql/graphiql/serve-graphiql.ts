import type { Router } from '@koa/router';
import { Fault } from '@roster/contracts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Exchange, HttpContext } from '../../http/exchange.js';
import { send } from '../../http/send.js';
import { page, startScript } from './page.js';

const script = 'text/javascript; charset=utf-8';
const require = createRequire(import.meta.url);
/** A file that stands beside a package's manifest, and may not be among what the package exports. */
const beside = (manifest: string, file: string): Buffer =>
  readFileSync(join(dirname(manifest), file));

/** Nothing from elsewhere, and no script but ours. GraphiQL styles its elements itself. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "font-src 'self' data:; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the page is made of, from the packages as they are installed. */
export function serveGraphiqlAssets(router: Router<Exchange>): void {
  const assets = new Map<string, [mediaType: string, content: Buffer]>([
    [
      'react.js',
      [script, beside(require.resolve('react/package.json'), 'umd/react.production.min.js')],
    ],
    [
      'react-dom.js',
      [
        script,
        beside(require.resolve('react-dom/package.json'), 'umd/react-dom.production.min.js'),
      ],
    ],
    [
      'graphql-sse.js',
      [script, beside(require.resolve('graphql-sse/package.json'), 'umd/graphql-sse.min.js')],
    ],
    ['graphiql.js', [script, beside(require.resolve('graphiql/package.json'), 'graphiql.min.js')]],
    [
      'graphiql.css',
      [
        'text/css; charset=utf-8',
        beside(require.resolve('graphiql/package.json'), 'graphiql.min.css'),
      ],
    ],
    ['start.js', [script, Buffer.from(startScript)]],
  ]);
  router.get('/graphql/assets/:file', (ctx) => {
    Object.assign(ctx.state, { route: '/graphql/assets/{file}', operation: 'graphiql' });
    const asset = assets.get(ctx.params['file']!);
    if (!asset) throw new Fault('not_found', 'No such file.');
    send(ctx, 200, ...asset);
  });
}

/** Whether a browser opens the address, rather than a client asking a query. */
export const wantsPage = ({ req, query }: HttpContext): boolean =>
  req.method !== 'POST' &&
  query['query'] === undefined &&
  (req.headers.accept?.includes('text/html') ?? false);

export function sendPage(ctx: HttpContext): void {
  Object.assign(ctx.state, { route: '/graphql', operation: 'graphiql' });
  ctx.state.headers['Content-Security-Policy'] = policy;
  send(ctx, 200, 'text/html; charset=utf-8', page);
}
