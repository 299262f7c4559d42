import { pageHeaders, pageOf } from './html.js';

/** The page that a browser gets instead of a problem document. */
export const notFoundPage = {
  headers: pageHeaders,
  /** @param path of the request, in which the page finds its way back to where the gateway is mounted */
  pageOf(path: string): string {
    const root = '../'.repeat(path.split('/').length - 2);
    return pageOf({
      title: 'Page not found',
      stylesheet: `${root}docs/assets/pages.css`,
      body:
        '<main class="plain"><h1>Page not found</h1>' +
        '<p>There is no page at this address. It may have been typed wrongly, or the page may have moved.</p>' +
        `<nav class="links" aria-label="Other pages"><a href="${root || './'}">Start</a>` +
        `<a href="${root}docs">Documentation</a><a href="${root}problems">Problems</a></nav></main>`,
    });
  },
};
