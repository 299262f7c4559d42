import { contentOf, sendContent } from '../http/response/page-files.js';
import { fixed, type Route } from '../http/routes.js';
import { escaped, html, pageHeaders, pageOf } from './html.js';

const links = [
  ['console', 'Console', 'Contacts, webhooks, deliveries and keys of a workspace, in a browser.'],
  ['docs', 'Documentation', 'Guides, and a reference that sends requests.'],
  ['graphql', 'GraphQL', 'Queries over the same data.'],
  ['problems', 'Problems', 'What each error means, and what to do.'],
] as const;

/** `/`: a page for browsers, and an index as JSON for programs. */
export function indexRoute(service: string, json: Buffer): Route {
  const page = contentOf(Buffer.from(printed(service)));
  const sendJson = fixed('application/json; charset=utf-8', json);
  return {
    methods: ['GET'],
    path: '/',
    operation: 'index',
    answer(ctx) {
      const { headers } = ctx.state;
      headers['Vary'] = `${String(headers['Vary'])}, Accept`;
      if (!/\btext\/html\b/.test(ctx.req.headers.accept ?? '')) return sendJson(ctx);
      Object.assign(headers, pageHeaders);
      return sendContent(ctx, html, page);
    },
  };
}

const printed = (service: string): string =>
  pageOf({
    title: service,
    stylesheet: 'docs/assets/pages.css',
    body: `<main><h1>${escaped(service)}</h1><dl>${links
      .map(([path, name, text]) => `<dt><a href="${path}">${name}</a></dt><dd>${text}</dd>`)
      .join('')}</dl></main>`,
  });
