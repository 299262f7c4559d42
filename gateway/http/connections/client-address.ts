import type { IncomingMessage } from 'node:http';
import type { TrustedProxies } from './trusted-proxies.js';

const mappedPrefix = '::ffff:';

/** The address of the client of a request, IPv4 also where the system writes it as IPv4-mapped IPv6. Empty if it is unknown. */
export function clientAddress(proxies: TrustedProxies, request: IncomingMessage): string {
  const address = proxies.addressOf(request);
  return address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : address;
}
