import { Fault } from '@roster/contracts';
import { refusalStatus, type RefusalCode } from '../../http/refusal/refusal-status.js';
import { fixed, type Route } from '../../http/exchange/routes.js';
import { problemTypes, type ProblemType } from './problem-types.js';

const html = 'text/html; charset=utf-8';

/** The pages that the `type` of a problem document refers to. */
export function problemPages(): Route[] {
  const entries = Object.entries(problemTypes) as [RefusalCode, ProblemType][];
  const pages = new Map(
    entries.map(([code, type]) => [code as string, sendPage(pageOf(code, type))]),
  );
  return [
    {
      methods: ['GET'],
      path: '/problems',
      operation: 'problems',
      answer: sendPage(listOf(entries)),
    },
    {
      methods: ['GET'],
      path: '/problems/{code}',
      operation: 'problems',
      answer(ctx) {
        const answer = pages.get(ctx.params!['code']!);
        if (!answer) throw new Fault('not_found', 'No such problem type.');
        return answer(ctx);
      },
    },
  ];
}

const sendPage = (page: string): Route['answer'] =>
  fixed(html, Buffer.from(page), { 'Content-Security-Policy': "default-src 'none'" });

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
