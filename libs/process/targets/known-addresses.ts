import { isIP } from 'node:net';

/** The IP address that a URL contains instead of a name, without brackets. The URL parser has normalized other notations. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) ? bare : undefined;
}

/** The addresses of a host that has the same ones everywhere: of a literal, and of localhost. Undefined for all others. */
export function knownAddresses(hostname: string): string[] | undefined {
  // https://www.rfc-editor.org/rfc/rfc6761#section-6.3
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const literal = literalAddress(hostname);
  return literal === undefined ? undefined : [literal];
}
