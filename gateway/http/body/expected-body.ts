import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, () => void>();

/**
 * The client of a request with `Expect: 100-continue` (RFC 9110, 10.1.1) sends the body when it is asked for, and not at all if the request
 * is refused before. The connection is then closed: whether the body follows nevertheless is not known.
 */
export function awaitRequestForBody(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  waiting.set(request, () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Asks the client of a request for its body, if it waits for that. */
export function askForBody(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return;
  waiting.get(request)?.();
  waiting.delete(request);
}
