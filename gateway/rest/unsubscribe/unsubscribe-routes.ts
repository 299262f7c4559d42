import { Fault } from '@roster/contracts';
import type { HttpContext } from '../../http/exchange.js';
import { networkOf, type TrustedProxies } from '../../http/connections/trusted-proxies.js';
import type { FailedLookUps } from '../../http/callers/failed-look-ups.js';
import type { Route } from '../../http/routes.js';
import { send } from '../../http/response/send.js';
import { refusalStatus, setFaultHeaders } from '../../http/refusal.js';
import type { LinkClient } from '../../operations/link-client.js';
import { pageHeaders, unsubscribePages } from './unsubscribe-page.js';
import { receiveBody } from '../../http/body/read-body.js';

interface UnsubscribeOptions {
  links: LinkClient;
  unknownLinks: FailedLookUps;
  proxies: TrustedProxies;
  realm: string;
}

type Page = keyof typeof unsubscribePages;

const html = 'text/html; charset=utf-8';

/**
 * The address in `List-Unsubscribe` of an email (RFC 8058). GET shows a page that asks and changes nothing, because programs open the
 * addresses of emails too. POST unsubscribes, from the page or from an email client. Requests need no token against forgery: nothing
 * that a browser adds by itself authorises them, and only who knows the address can send one.
 */
export function unsubscribeRoutes(options: UnsubscribeOptions): Route[] {
  const { links, proxies } = options;
  const route = (
    method: 'GET' | 'POST',
    answer: (token: string, ctx: HttpContext) => Promise<Page>,
  ): Route => ({
    methods: [method],
    path: '/unsubscribe/{token}',
    operation: 'unsubscribe',
    answer: (ctx) => answerWithPage(ctx, options, () => answer(ctx.params!['token']!, ctx)),
  });
  return [
    route('GET', async (token, { state }) =>
      (await links.isUsed(token, state)) ? 'done' : 'question',
    ),
    route('POST', async (token, ctx) => {
      await readOneClick(ctx, networkOf(proxies.addressOf(ctx.req)));
      await links.use(token, ctx.state);
      return 'done';
    }),
  ];
}

/** Counts unknown links of an address. Above the limit, none is looked up. */
async function answerWithPage(
  ctx: HttpContext,
  { unknownLinks, realm }: UnsubscribeOptions,
  answer: () => Promise<Page>,
): Promise<void> {
  const { state, req } = ctx;
  Object.assign(state.headers, pageHeaders);
  try {
    unknownLinks.check(req);
    const page = await answer();
    send(ctx, 200, html, unsubscribePages[page]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    state.fault = error;
    setFaultHeaders(state.headers, error, realm);
    const isUnknown = error.code === 'not_found';
    if (isUnknown) unknownLinks.count(req);
    send(ctx, refusalStatus[error.code], html, unsubscribePages[isUnknown ? 'unknown' : 'failed']);
  }
}

const bodyBytesMax = 8 * 1024;
const form = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(?:;|$)/i;

/**
 * Requires the body `List-Unsubscribe=One-Click` (RFC 8058, 3.2), which email clients send as either type of form. Programs that
 * send an empty POST to each address of an email do not unsubscribe its reader.
 *
 * @param network of the client
 *
 * @throws Fault `unsupported_media_type`, `payload_too_large`, `invalid`
 */
export async function readOneClick(ctx: HttpContext, network: string): Promise<void> {
  const type = ctx.req.headers['content-type'] ?? '';
  if (!form.test(type))
    throw new Fault(
      'unsupported_media_type',
      'The body must be multipart/form-data or application/x-www-form-urlencoded.',
    );
  const body = await receiveBody(ctx, bodyBytesMax, network);
  const fields = await new Response(body, { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => undefined);
  const value = fields?.get('List-Unsubscribe');
  // Some clients end the body with a line break.
  if (typeof value !== 'string' || value.trimEnd() !== 'One-Click')
    throw new Fault('invalid', 'The body must contain List-Unsubscribe=One-Click.');
}
