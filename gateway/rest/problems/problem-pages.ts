import { Fault } from '@roster/contracts';
import type { HttpContext } from '../../http/exchange/exchange.js';
import { refusalStatus, type RefusalCode } from '../../http/refusal/refusal-status.js';
import type { Route } from '../../http/exchange/routes.js';
import { send } from '../../http/exchange/send.js';
import { problemTypes, type ProblemType } from './problem-types.js';

const html = 'text/html; charset=utf-8';

/** The pages that the `type` of a problem document refers to. */
export function problemPages(): Route[] {
  const entries = Object.entries(problemTypes) as [RefusalCode, ProblemType][];
  const pages = new Map(
    entries.map(([code, type]) => [code as string, Buffer.from(pageOf(code, type))]),
  );
  const list = Buffer.from(listOf(entries));
  const sendPage = (ctx: HttpContext, page: Buffer) => {
    ctx.state.headers['Content-Security-Policy'] = "default-src 'none'";
    send(ctx, 200, html, page);
  };
  return [
    {
      methods: ['GET'],
      path: '/problems',
      operation: 'problems',
      answer: (ctx) => sendPage(ctx, list),
    },
    {
      methods: ['GET'],
      path: '/problems/{code}',
      operation: 'problems',
      answer(ctx) {
        const page = pages.get(ctx.params!['code']!);
        if (!page) throw new Fault('not_found', 'No such problem type.');
        sendPage(ctx, page);
      },
    },
  ];
}

const documentOf = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>\n`;

const pageOf = (code: RefusalCode, { title, meaning, remedy }: ProblemType) =>
  documentOf(
    title,
    `<h1>${title}</h1><p><code>${code}</code>, status ${refusalStatus[code]}</p>` +
      `<p>${meaning}</p><h2>What to do</h2><p>${remedy}</p><p><a href="/problems">All problems</a></p>`,
  );

const listOf = (entries: [RefusalCode, ProblemType][]) =>
  documentOf(
    'Problems',
    `<h1>Problems</h1><ul>${entries
      .map(
        ([code, { title }]) =>
          `<li><a href="/problems/${code}"><code>${code}</code></a> ${refusalStatus[code]} ${title}</li>`,
      )
      .join('')}</ul>`,
  );
