/** The bytes of a request, and its expected status. */
export interface LoadRequest {
  text: string;
  status: number;
}

/** The kind of load: closed or open loop. */
export type Shape =
  | { clients: number }
  | { perSecond: number; connectionsMax: number; whenTaken: 'wait' | 'drop' };

/** The duration of a measurement, which begins with a warm-up. */
export interface Span {
  warmSeconds: number;
  seconds: number;
  totalMs: number;
  /** Resolves with `work`. Reports the start and the end of the measured time. */
  run(work: Promise<unknown>): Promise<void>;
}

/**
 * The bytes of a request of a benchmark client.
 *
 * @param headers further lines, each with its line break
 */
export function requestText(
  method: string,
  path: string,
  apiKey: string,
  body?: string,
  headers = '',
): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n${headers}`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
