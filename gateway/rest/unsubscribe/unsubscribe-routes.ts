import { Fault } from '@roster/contracts';
import type { HttpContext } from '../../http/exchange.js';
import { networkOf, type TrustedProxies } from '../../http/connections/trusted-proxies.js';
import type { FailedLookUps } from '../../http/callers/failed-look-ups.js';
import type { Route } from '../../http/routes.js';
import { send } from '../../http/response/send.js';
import { refusalStatus, setFaultHeaders } from '../../http/refusal.js';
import type { Link, LinkClient } from '../../operations/link-client.js';
import { unsubscribeHeaders, unsubscribePage } from './unsubscribe-page.js';
import { receiveBody } from '../../http/body/read-body.js';
import { pageFiles } from '../../http/response/page-files.js';
import { html } from '../../pages/html.js';
import { pagesStyle } from '../../pages/stylesheet.js';
import { languageOf, type PageName } from './unsubscribe-texts.js';

interface UnsubscribeOptions {
  links: LinkClient;
  unknownLinks: FailedLookUps;
  proxies: TrustedProxies;
  realm: string;
}

interface Answer {
  page: PageName;
  link: Link;
}

/**
 * The address in `List-Unsubscribe` of an email (RFC 8058). GET shows a page that asks and changes nothing, because programs open the
 * addresses of emails too. POST unsubscribes, from the page or from an email client. Requests need no token against forgery: nothing
 * that a browser adds by itself authorises them, and only who knows the address can send one. The page after it offers to undo it, with
 * a text that the service made for this use: nothing else subscribes a contact again.
 */
export function unsubscribeRoutes(options: UnsubscribeOptions): Route[] {
  const { links, proxies } = options;
  const route = (
    method: 'GET' | 'POST',
    answer: (token: string, ctx: HttpContext) => Promise<Answer>,
  ): Route => ({
    methods: [method],
    path: '/unsubscribe/{token}',
    operation: 'unsubscribe',
    answer: (ctx) => answerWithPage(ctx, options, () => answer(ctx.params!['token']!, ctx)),
  });
  return [
    route('GET', async (token, { state }) => {
      const link = await links.get(token, state);
      return { page: link.status === 'unsubscribed' ? 'done' : 'question', link };
    }),
    route('POST', async (token, ctx) => {
      const undo = await readForm(ctx, networkOf(proxies.addressOf(ctx.req)));
      if (undo === undefined) return { page: 'done', link: await links.use(token, ctx.state) };
      const link = await links.undo(token, undo, ctx.state).catch((error: unknown) => {
        throw error instanceof Fault ? new NotUndone(error) : error;
      });
      return { page: 'restored', link };
    }),
    pageFiles('/unsubscribe/assets/{file}', 'unsubscribe', pagesStyle),
  ];
}

/** Why an unsubscription was not undone. */
class NotUndone extends Fault {
  constructor({ code, message, details }: Fault) {
    super(code, message, details);
  }
}

/** Counts unknown links of an address. Above the limit, none is looked up. */
async function answerWithPage(
  ctx: HttpContext,
  { unknownLinks, realm }: UnsubscribeOptions,
  answer: () => Promise<Answer>,
): Promise<void> {
  const { state, req } = ctx;
  const language = languageOf(req.headers['accept-language']);
  Object.assign(state.headers, unsubscribeHeaders, {
    'Content-Language': language,
    Vary: `${String(state.headers['Vary'])}, Accept-Language`,
  });
  try {
    unknownLinks.check(req);
    const { page, link } = await answer();
    send(ctx, 200, html, unsubscribePage(page, language, link));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    state.fault = error;
    setFaultHeaders(state.headers, error, realm);
    if (error.code === 'not_found') unknownLinks.count(req);
    send(ctx, refusalStatus[error.code], html, unsubscribePage(pageAfter(error), language, {}));
  }
}

function pageAfter(fault: Fault): PageName {
  if (fault.code === 'not_found') return 'unknown';
  if (!(fault instanceof NotUndone)) return 'failed';
  return fault.code === 'conflict' ? 'late' : 'notRestored';
}

const bodyBytesMax = 8 * 1024;
const form = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)[ \t]*(?:;|$)/i;

/**
 * Requires the body `List-Unsubscribe=One-Click` (RFC 8058, 3.2), which email clients send as either type of form, or that of the form
 * that undoes it. Programs that send an empty POST to each address of an email do not unsubscribe its reader.
 *
 * @param network of the client
 * @returns the text that undoes an unsubscription, if that is asked for
 * @throws Fault `unsupported_media_type`, `payload_too_large`, `invalid`
 */
async function readForm(ctx: HttpContext, network: string): Promise<string | undefined> {
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
  const undo = fields?.get('undo');
  if (typeof undo === 'string' && value === null) return undo;
  // Some clients end the body with a line break.
  if (typeof value !== 'string' || value.trimEnd() !== 'One-Click')
    throw new Fault('invalid', 'The body must contain List-Unsubscribe=One-Click.');
  return undefined;
}
