import { Fault } from '@roster/contracts';
import { STATUS_CODES } from 'node:http';
import { type RefusalCode, refusalStatus } from '../../http/refusal.js';
import { fixed, type Route } from '../../http/routes.js';
import { type ProblemExample, problemExamples } from './problem-examples.js';
import { type ProblemType, problemTypes } from './problem-types.js';
import { problemWriter } from './problem.js';

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
      `<h2>Cause</h2><p>${meaning}</p><h2>What to do</h2><p>${remedy}</p>` +
      `<h2>Example</h2><pre>${escaped(requestOf(problemExamples[code]))}</pre>` +
      `<p>is answered</p><pre>${escaped(responseOf(code, problemExamples[code]))}</pre>` +
      `<p><a href="/problems">All problems</a></p>`,
  );

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function requestOf({ request }: ProblemExample): string {
  const [line, ...rest] = request.split('\n');
  return [`${line} HTTP/1.1`, 'Host: roster.example.com', ...rest].join('\n');
}

const exampleRequestId = 'req_0b6c7a3f5d6e4c0b9f3f0d6a1c2b3e4d';

function responseOf(code: RefusalCode, example: ProblemExample): string {
  const { request: _, headers = {}, detail, ...details } = example;
  const status = refusalStatus[code];
  const { mediaType, bodyOf } = problemWriter;
  const lines = Object.entries({ 'Content-Type': mediaType, ...headers });
  const problem: unknown = JSON.parse(bodyOf(code, detail, exampleRequestId, details));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    JSON.stringify(problem, null, 2),
  ].join('\n');
}

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
