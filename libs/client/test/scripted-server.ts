import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { Roster } from '../index.js';
import type { RosterOptions } from '../request.js';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  atMs: number;
}

/** What a server does with a request. */
export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers requests one after another as the replies say, the last of them for all others. */
export async function scripted(
  t: ExecutionContext,
  replies: readonly Reply[],
  options: Partial<RosterOptions> = {},
): Promise<{ roster: Roster; received: Received[]; baseUrl: string }> {
  const received: Received[] = [];
  let answered = 0;
  const server = createServer((request, response) => {
    const entry = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: '',
      atMs: performance.now(),
    };
    received.push(entry);
    request.on('data', (chunk: Buffer) => (entry.body += chunk.toString()));
    request.on('error', () => {});
    const reply = replies[Math.min(answered++, replies.length - 1)]!;
    if (reply.length > 1) reply(response, request);
    else request.on('end', () => reply(response, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { roster: new Roster({ apiKey: 'rsk_test', baseUrl, ...options }), received, baseUrl };
}

export const json =
  (body: object, status = 200, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

export const problem = (
  status: number,
  code: string,
  details: object = {},
  headers: Record<string, string> = {},
): Reply =>
  json({ code, status, detail: `It is ${code}.`, requestId: 'req_1', ...details }, status, headers);

/** The connection breaks when the request was received. */
export const cut: Reply = (response) => response.socket!.destroy();

/** No answer. */
export const silence: Reply = () => {};

export const contact = { id: 'cont_1', email: 'ada@example.com' };
