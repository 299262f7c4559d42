import { Fault } from '@roster/contracts';
import { send } from '../../http/response/send.js';
import { MethodNotAllowed, refusalStatus } from '../../http/refusal.js';
import type { Route } from '../../http/routes.js';
import { html, pageHeaders, pageOf } from '../../pages/html.js';
import type { OperationRoute } from '../answer-operation.js';
import type { RestOptions } from '../rest-options.js';

/** The address is a secret until it is used. */
const linkHeaders = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex, nofollow' };

/**
 * The address at which a browser downloads an export, without a key. GET uses the link up, whatever it is answered, and then is a
 * request for the export with a browser token that allows nothing else: it has the limits, and ends with the key, of who made the link.
 * What asks without downloading leaves the link as it is.
 */
export const exportLinkRoute = (
  exports: OperationRoute,
  { links, unknownLinks }: RestOptions,
): Route => ({
  methods: ['GET'],
  path: '/exports/{link}',
  operation: exports.operation,
  async answer(ctx) {
    const { req, state, params } = ctx;
    Object.assign(state.headers, linkHeaders);
    if (req.method === 'HEAD') throw new MethodNotAllowed('GET');
    if (req.headers['sec-purpose']?.includes('prefetch'))
      throw new Fault('unavailable', 'A link is opened by its user only.');
    unknownLinks.check(req);
    const used = await links.useExport(params!['link']!, state).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
      return error;
    });
    if (used instanceof Fault) {
      unknownLinks.count(req);
      state.fault = used;
      Object.assign(state.headers, pageHeaders);
      return send(ctx, refusalStatus.not_found, html, unknownPage);
    }
    // Whatever key the request has: the link says whose it is.
    state.caller = null;
    req.headers.authorization = `Bearer ${used.token}`;
    return exports.answerWith(ctx, async () => used.input);
  },
});

const unknownPage = pageOf({
  title: 'This link is not valid',
  stylesheet: '../docs/assets/pages.css',
  body:
    '<main class="plain"><h1>This link is not valid</h1>' +
    '<p>A link downloads a file once, within five minutes. It was used, or has expired. Ask for another one.</p></main>',
});
