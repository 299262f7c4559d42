import { Fault, type FaultCode } from '@roster/contracts';

import type { LocalConfig } from './config.js';

/** Where workspaces are administered over HTTP: see deploy/workspaces.md. */
export interface AdminApi {
  url: string;
  key: string;
}

const timeoutMs = 10_000;

/** Undefined without `ROSTER_ADMIN_URL`. @throws Error without `ROSTER_ADMIN_KEY` */
export function adminApiOf(config: LocalConfig): AdminApi | undefined {
  const { ROSTER_ADMIN_URL: url, ROSTER_ADMIN_KEY: key } = config;
  if (url === undefined) return undefined;
  if (key === undefined)
    throw new Error('ROSTER_ADMIN_KEY is missing: set it to an admin key of ROSTER_ADMIN_URL.');
  return { url, key };
}

/**
 * Sends a request to `/v1/admin/workspaces`, and resolves with its result.
 *
 * @param path after that
 * @throws Fault the request was refused
 * @throws Error the gateway is unreachable
 */
export async function callAdmin<Result>(
  { url, key }: AdminApi,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<Result> {
  const base = url.endsWith('/') ? url : `${url}/`;
  const response = await fetch(new URL(`v1/admin/workspaces${path}`, base), {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new Error(`ROSTER_ADMIN_URL: no answer (${error.message}).`);
  });
  const result = (await response.json().catch(() => undefined)) as
    | { code?: FaultCode; detail?: string }
    | undefined;
  if (response.ok && result) return result as Result;
  if (result?.code && result.detail !== undefined) throw new Fault(result.code, result.detail);
  throw new Error(`ROSTER_ADMIN_URL: the answer ${response.status} is not that of Roster.`);
}
