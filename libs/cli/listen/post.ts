import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface Post {
  headers: Record<string, string>;
  body: string;
}

/** A handler that did not answer. The message says why. */
export class Unanswered extends Error {
  override name = 'Unanswered';
}

/** How much later than due a timer may be called while the process runs. */
const lateMs = 1000;

/**
 * Sends an event to a handler. Any status is an answer, a redirect too.
 *
 * @returns the status, when the whole answer has been received
 * @throws Unanswered
 */
export const post = (
  url: URL,
  { headers, body }: Post,
  timeoutMs: number,
): Promise<{ status: number }> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    // A connection for each: one that is kept may be closed by the handler at the moment when it is used again.
    const request = send(url, { method: 'POST', headers, agent: false });
    const end = (why?: string) => {
      clearTimeout(timer);
      request.destroy();
      if (why !== undefined) reject(new Unanswered(why));
    };
    const startedAt = performance.now();
    const timedOut = () => {
      // The process was stopped meanwhile: the answer may have come, and is about to be read.
      if (performance.now() - startedAt > timeoutMs + lateMs)
        timer = setTimeout(() => end(`no answer within ${timeoutMs / 1000} s`), lateMs);
      else end(`no answer within ${timeoutMs / 1000} s`);
    };
    let timer = setTimeout(timedOut, timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) => end(reasonOf(error)));
    request.on('response', (response) => {
      response.resume();
      response.on('error', (error: NodeJS.ErrnoException) => end(reasonOf(error)));
      response.on('end', () => {
        resolve({ status: response.statusCode! });
        end();
      });
    });
    request.end(body);
  });

function reasonOf(error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }): string {
  const { code, message } = error.errors?.[0] ?? error;
  return (code && reasons[code]) ?? code ?? message;
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed without an answer',
  ENOTFOUND: 'unknown host',
};
