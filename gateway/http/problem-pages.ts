import type { Router } from '@koa/router';
import { Fault } from '@roster/contracts';
import type { Exchange } from './exchange.js';
import {
  problemStatus,
  problemTypes,
  type ProblemCode,
  type ProblemType,
} from './problem-types.js';
import { send } from './send.js';

const html = 'text/html; charset=utf-8';

/** What the `type` of a problem document points to. */
export function serveProblemPages(router: Router<Exchange>): void {
  const entries = Object.entries(problemTypes) as [ProblemCode, ProblemType][];
  const pages = new Map(
    entries.map(([code, type]) => [code as string, Buffer.from(pageOf(code, type))]),
  );
  const list = Buffer.from(listOf(entries));

  router.get('/problems', (ctx) => {
    Object.assign(ctx.state, { route: '/problems', operation: 'problems' });
    ctx.state.headers['Content-Security-Policy'] = "default-src 'none'";
    send(ctx, 200, html, list);
  });
  router.get('/problems/:code', (ctx) => {
    Object.assign(ctx.state, { route: '/problems/{code}', operation: 'problems' });
    const page = pages.get(ctx.params['code']!);
    if (!page) throw new Fault('not_found', 'No such problem.');
    ctx.state.headers['Content-Security-Policy'] = "default-src 'none'";
    send(ctx, 200, html, page);
  });
}

const documentOf = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>\n`;

const pageOf = (code: ProblemCode, { title, meaning, remedy }: ProblemType) =>
  documentOf(
    title,
    `<h1>${title}</h1><p><code>${code}</code>, status ${problemStatus[code]}</p>` +
      `<p>${meaning}</p><h2>What to do</h2><p>${remedy}</p><p><a href="/problems">All problems</a></p>`,
  );

const listOf = (entries: [ProblemCode, ProblemType][]) =>
  documentOf(
    'Problems',
    `<h1>Problems</h1><ul>${entries
      .map(
        ([code, { title }]) =>
          `<li><a href="/problems/${code}"><code>${code}</code></a> ${problemStatus[code]} ${title}</li>`,
      )
      .join('')}</ul>`,
  );
