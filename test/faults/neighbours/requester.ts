import { Agent, request } from 'node:http';
import type { Offender } from './misbehaviour.js';

/** Sends a request. Resolves with the status once the response has been received. */
export type Requester = (method: string, path: string, body?: object) => Promise<number>;

const timeoutMs = 10_000;

/** Discards the bodies of responses: parsing them would use CPU time of the machine that runs the system. */
export function requester({ baseUrl, apiKey }: Pick<Offender, 'baseUrl' | 'apiKey'>): Requester {
  const agent = new Agent({ keepAlive: true, timeout: timeoutMs });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const sent = request(`${baseUrl}${path}`, { method, agent, headers }, (response) => {
        response.on('error', reject).on('end', () => resolve(response.statusCode!));
        response.resume();
      });
      sent.on('timeout', () => sent.destroy(new Error('no response'))).on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
}
