import { sessionLimits, sessionSecretShape } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';

/**
 * A cookie without a path is sent to the folder of the request that set it, and below: `<mount>/console/session`, wherever the
 * gateway is mounted. Requests that set it or end it are therefore all directly below that folder.
 */
const attributes = 'HttpOnly; SameSite=Strict';

/**
 * Browsers accept the name only with https. The origin says how the browser sees this page, whatever proxies are between them. Who
 * claims another one changes only its own cookie.
 */
const nameFor = ({ headers }: IncomingMessage): { name: string; isSecure: boolean } =>
  headers.origin?.startsWith('https:')
    ? { name: '__Secure-roster_session', isSecure: true }
    : { name: 'roster_session', isSecure: false };

/** The secret of the session, or undefined if the request has none. */
export function readSessionCookie(request: IncomingMessage): string | undefined {
  return cookieIn(request, nameFor(request).name, sessionSecretShape);
}

/** The first cookie with a name whose value has a shape. */
export function cookieIn(
  { headers }: IncomingMessage,
  name: string,
  shape: RegExp,
): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1).trim();
    if (pair.slice(0, at).trim() === name && shape.test(value)) return value;
  }
  return undefined;
}

/** The value of `Set-Cookie` that keeps the secret of a session, or forgets it. */
export function sessionCookie(request: IncomingMessage, secret: string | null): string {
  const { name, isSecure } = nameFor(request);
  const maxAge = secret === null ? 0 : sessionLimits.seconds;
  const kept = `${name}=${secret ?? ''}; Max-Age=${maxAge}; ${attributes}`;
  return isSecure ? `${kept}; Secure` : kept;
}
