const lengthMax = 253;
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * Whether a host of a parsed URL can exist: an IP address, or a name as RFC 1123 (2.1) defines it, with a final dot or without. URL
 * parsers also accept empty labels, other characters and labels of any length. Underscores are allowed, because names with them are
 * in use and are resolved.
 */
export function isHost({ hostname }: Pick<URL, 'hostname'>): boolean {
  if (hostname.startsWith('[')) return true;
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name.length <= lengthMax && name.split('.').every((part) => label.test(part));
}
