import type { Socket } from 'node:net';

/** The answer of a proxy to CONNECT. */
export interface ProxyAnswer {
  /** 0 if it is not HTTP. */
  status: number;
  /** By lower-case name. */
  headers: ReadonlyMap<string, string>;
}

/** The end of a head, and the most that is read of an answer. */
const headEnd = '\r\n\r\n';
const headBytesMax = 16_384;

/**
 * Reads the head of the answer, after interim ones. What follows remains in the socket, for the protocol inside of the tunnel.
 *
 * @throws the reason of the signal, and an error if the socket is closed before
 */
export function readProxyAnswer(socket: Socket, signal: AbortSignal): Promise<ProxyAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = () => {
      socket.off('readable', read).off('end', closed).off('close', closed).off('error', failed);
      signal.removeEventListener('abort', abort);
    };
    const failed = (error: unknown) => {
      end();
      socket.destroy();
      reject(error);
    };
    const closed = () => failed(new Error('closed without an answer'));
    const abort = () => failed(signal.reason);
    const read = () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      text += chunk.toString('latin1');
      for (let at = text.indexOf(headEnd); at >= 0; at = text.indexOf(headEnd)) {
        const answer = parse(text.slice(0, at));
        text = text.slice(at + headEnd.length);
        if (answer.status >= 100 && answer.status < 200) continue;
        end();
        if (text !== '') socket.unshift(Buffer.from(text, 'latin1'));
        resolve(answer);
        return;
      }
      if (text.length <= headBytesMax) return;
      end();
      resolve({ status: 0, headers: new Map() });
    };
    socket.on('readable', read).once('end', closed).once('close', closed).once('error', failed);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

function parse(head: string): ProxyAnswer {
  const [start = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(start)?.[1] ?? 0);
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { status, headers: new Map(headers) };
}

/** What an answer other than a tunnel says. */
export type ProxyVerdict =
  /** The proxy refuses the credentials of this installation. */
  | 'authentication'
  /** The receiver refused the connection, or did not answer. */
  | 'receiver'
  /** Either of both: proxies answer the same status when they themselves are broken. */
  | 'unknown';

export function verdictOf({ status, headers }: ProxyAnswer): ProxyVerdict {
  // Some proxies answer 407 to forbidden targets, without the header that it must have (RFC 9110, 15.5.8).
  if (status === 407 && headers.has('proxy-authenticate')) return 'authentication';
  const [, standard] = /;\s*error="?([a-z_]+)/.exec(headers.get('proxy-status') ?? '') ?? [];
  const squid = headers.get('x-squid-error') ?? '';
  return receiverErrors.has(standard ?? '') || squidReceiverError.test(squid)
    ? 'receiver'
    : 'unknown';
}

/** RFC 9209, 2.3. */
const receiverErrors = new Set([
  'connection_refused',
  'connection_terminated',
  'connection_timeout',
  'destination_unavailable',
]);
/** With the number of ECONNREFUSED, ETIMEDOUT or ECONNRESET on Linux: others are those of Squid's own network. */
const squidReceiverError = /^ERR_CONNECT_FAIL (111|110|104)$/;
