/** A request as a receiver gets it. */
export interface SignedExample {
  headers: [string, string][];
  body: string;
}

/** Signs a body as Roster does, so that a receiver accepts it for five minutes. */
export async function signedExample(
  secret: string,
  id: string,
  body: string,
): Promise<SignedExample> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = await crypto.subtle.importKey(
    'raw',
    Uint8Array.from(atob(secret.slice('whsec_'.length)), (one) => one.charCodeAt(0)),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return {
    headers: [
      ['Content-Type', 'application/json'],
      ['webhook-id', id],
      ['webhook-timestamp', timestamp],
      ['webhook-signature', `v1,${btoa(String.fromCharCode(...bytes))}`],
    ],
    body,
  };
}
