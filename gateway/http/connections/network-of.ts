/**
 * The network that is counted as one client: an IPv4 address, also as IPv4-mapped IPv6, or the /64 of an IPv6 address, because
 * hosts can use every address of their /64. https://www.rfc-editor.org/rfc/rfc6177
 *
 * @param address as written by the system (RFC 5952)
 */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
