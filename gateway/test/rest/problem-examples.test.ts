import { Fault, type FaultDetails } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import { type RefusalCode, refusalStatus } from '../../http/refusal.js';
import { problemExamples } from '../../rest/problems/problem-examples.js';
import { exchangeBytes } from '../exchange-bytes.js';
import { problemIn } from '../problem-document.js';
import type { TestKey } from '../stub-services.js';
import { gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';

let gateway: TestGateway;
test.before(async () => {
  gateway = await testGateway();
});
test.after.always(() => gateway?.close());

/** The operation whose service refuses the request of an example. The other problems are found by the gateway. */
const refusedBy: Partial<Record<RefusalCode, string>> = {
  workspace_suspended: 'contacts.list',
  quota_exceeded: 'contacts.create',
  not_found: 'contacts.get',
  conflict: 'contacts.create',
  limit_reached: 'contacts.create',
  daily_quota_exceeded: 'contacts.list',
  precondition_failed: 'contacts.update',
  idempotency_key_reused: 'contacts.create',
  idempotency_key_in_use: 'contacts.create',
  unavailable: 'contacts.list',
  timeout: 'contacts.create',
  internal: 'contacts.list',
};

function arrange({ stubs }: TestGateway, code: RefusalCode): TestKey {
  const { detail, errors, entityTag, existingId, retryAfterSeconds } = problemExamples[code];
  const details: FaultDetails = {
    ...(errors && { errors }),
    ...(entityTag !== undefined && { entityTag }),
    ...(existingId !== undefined && { existingId }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  const key = stubs.makeKey(code === 'insufficient_scope' ? { scopes: ['api_user'] } : {});
  const operation = refusedBy[code];
  if (operation)
    stubs.answer(operation, ({ caller }) => {
      if (code === 'internal') throw new Error('unexpected');
      return caller.keyId === key.keyId ? new Fault(code as never, detail, details) : undefined;
    });
  return key;
}

/** The request as it is sent: with a key, the headers that every client sends, and long texts in full. */
function bytesOf(code: RefusalCode, { apiKey }: TestKey): string {
  const isHeader = code === 'request_header_fields_too_large';
  const [head = '', body] = problemExamples[code].request
    .replace('rsk_…', apiKey)
    .replace('…', 'x'.repeat(isHeader ? 20_000 : 1_100_000))
    .split('\n\n', 2);
  const [line, ...headers] = head.split('\n');
  // An incomplete request lacks a byte.
  const missing = code === 'request_timeout' ? 1 : 0;
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body) + missing}`];
  const lines = [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, ...length];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

async function answerTo(t: ExecutionContext, code: RefusalCode): Promise<Response> {
  if (code !== 'rate_limited')
    return exchangeBytes(gateway.port, bytesOf(code, arrange(gateway, code)));
  const limited = await gatewayFor(t, { RATE_LIMIT_PER_SECOND: 1 });
  const bytes = bytesOf(code, arrange(limited, code));
  const answers = await Promise.all([1, 2, 3].map(() => exchangeBytes(limited.port, bytes)));
  return answers.find(({ status }) => status === 429)!;
}

for (const code of Object.keys(problemExamples) as RefusalCode[])
  // One after another: the stubs of one operation answer one of them.
  test.serial(
    `${code}: the gateway answers the example of the page as the page shows it`,
    async (t) => {
      t.timeout(120_000);
      const { request: _, headers = {}, detail, ...details } = problemExamples[code];
      const response = await answerTo(t, code);
      for (const [name, value] of Object.entries(headers))
        t.is(response.headers.get(name), value, name);
      const problem = await problemIn(response);
      // The gateway of this example has a lower limit.
      problem.detail = problem.detail.replace('of 1 requests', 'of 30000 requests');
      t.like(problem, { code, status: refusalStatus[code], detail, ...details });

      const page = await (await fetch(`${gateway.url}/problems/${code}`)).text();
      const text = page
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      for (const heading of ['Cause', 'What to do', 'Example'])
        t.true(text.includes(`<h2>${heading}</h2>`), heading);
      t.true(text.includes(problemExamples[code].request.split('\n').slice(1).join('\n')));
      t.true(text.includes(JSON.stringify({ ...problem, requestId: exampleRequestId }, null, 2)));
    },
  );

const exampleRequestId = 'req_0b6c7a3f5d6e4c0b9f3f0d6a1c2b3e4d';
