import { Fault } from '@roster/contracts';
import { STATUS_CODES } from 'node:http';
import { type RefusalCode, refusalStatus } from '../../http/refusal.js';
import { fixed, type Route } from '../../http/routes.js';
import { escaped, escapedWithCode, html, pageHeaders, pageOf } from '../../pages/html.js';
import { type ProblemExample, problemExamples } from './problem-examples.js';
import { type ProblemType, problemTypes } from './problem-types.js';
import { problemWriter } from './problem.js';

/** The pages that the `type` of a problem document refers to. */
export function problemPages(): Route[] {
  const entries = Object.entries(problemTypes) as [RefusalCode, ProblemType][];
  const pages = new Map(
    entries.map(([code, type]) => [code as string, sendPage(pageOfProblem(code, type))]),
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

const sendPage = (page: string): Route['answer'] => fixed(html, Buffer.from(page), pageHeaders);

const pageOfProblem = (code: RefusalCode, { title, meaning, remedy }: ProblemType) =>
  pageOf({
    title,
    stylesheet: '../docs/assets/pages.css',
    body:
      `<main class="plain"><h1>${escaped(title)}</h1>` +
      `<p class="code-line"><code>${code}</code> · status ${refusalStatus[code]}</p>` +
      `<h2>Cause</h2><p>${escapedWithCode(meaning)}</p><h2>What to do</h2><p>${escapedWithCode(remedy)}</p>` +
      `<h2>Example</h2><pre tabindex="0"><code>${escaped(requestOf(problemExamples[code]))}</code></pre>` +
      `<p>is answered</p><pre tabindex="0"><code>${escaped(responseOf(code, problemExamples[code]))}</code></pre>` +
      '<nav class="links" aria-label="Other pages"><a href="../problems">All problems</a>' +
      '<a href="../docs/guides/rest#errors">Errors in the documentation</a></nav></main>',
  });

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
  pageOf({
    title: 'Problems',
    stylesheet: 'docs/assets/pages.css',
    body:
      '<main class="plain"><h1>Problems</h1><p>What the <code>type</code> of a problem document refers to.</p><ul class="list">' +
      entries
        .map(
          ([code, { title }]) =>
            `<li><a href="problems/${code}"><span>${refusalStatus[code]}</span><b>${escaped(title)}</b><small>${code}</small></a></li>`,
        )
        .join('') +
      '</ul><nav class="links" aria-label="Other pages"><a href="docs">Documentation</a></nav></main>',
  });
