import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

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

const agents = {
  http: new HttpAgent({ keepAlive: true }),
  https: new HttpsAgent({ keepAlive: true }),
};

/**
 * Sends an event to a handler. Any status is an answer, a redirect too, whatever follows it.
 *
 * @returns the status, when the whole answer has been received, or the time is over
 * @throws Unanswered
 */
export const post = (
  url: URL,
  { headers, body }: Post,
  timeoutMs: number,
): Promise<{ status: number }> =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const options = { method: 'POST', headers, agent: agents[isSecure ? 'https' : 'http'] };
    const request = (isSecure ? requestHttps : requestHttp)(url, options);
    let status: number | undefined;
    const end = (why: string) => {
      clearTimeout(timer);
      request.destroy();
      if (status === undefined) reject(new Unanswered(why));
      else resolve({ status });
    };
    const startedAt = performance.now();
    const timedOut = () => {
      const why = `no answer within ${timeoutMs / 1000} s`;
      // The process was stopped meanwhile: the answer may have come, and is about to be read.
      if (performance.now() - startedAt > timeoutMs + lateMs)
        timer = setTimeout(() => end(why), lateMs);
      else end(why);
    };
    let timer = setTimeout(timedOut, timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The handler has closed a connection at the moment when it was used again. A new one is tried at once.
      if (request.reusedSocket && error.code === 'ECONNRESET' && status === undefined) {
        clearTimeout(timer);
        resolve(post(url, { headers, body }, timeoutMs));
      } else end(reasonOf(error));
    });
    request.on('response', (response) => {
      status = response.statusCode!;
      response.resume();
      response.on('error', (error: NodeJS.ErrnoException) => end(reasonOf(error)));
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode! });
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
