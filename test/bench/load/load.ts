/** A request as it goes over the wire, and the status it should be answered with. */
export interface LoadRequest {
  text: string;
  status: number;
}

/** How the load comes. */
export type Shape =
  | { clients: number }
  | { perSecond: number; connectionsMax: number; whenTaken: 'wait' | 'drop' };

/** The time of a measurement: first a while that does not count. */
export interface Span {
  warmSeconds: number;
  seconds: number;
  totalMs: number;
  /** Resolves with `work`, and says at the beginning and the end of the measured time that it is. */
  run(work: Promise<unknown>): Promise<void>;
}

/** The bytes of a request of one of the bench's clients. */
export function requestText(method: string, path: string, apiKey: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
